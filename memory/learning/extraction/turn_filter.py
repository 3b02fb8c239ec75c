"""Selection of turns worth learning from, and of their text: the person's own words and the final replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from parley.core.model.address import account_key
from parley.core.model.types import CompletedTurn
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin
from parley.memory.learning.extraction.personal_signs import may_be_personal
from parley.memory.learning.extraction.strip_markup import agent_words, own_words
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import Groups
from parley.memory.text.secrets.masking import mask_secrets
from parley.memory.text.smalltalk import says_nothing, yes_no_question

# Characters of one text that an extraction reads: facts stand at the beginning or the end of long ones.
MOST_SAID = 4000
MOST_REPLY = 1000
# Characters of one text that are queued, before markup is searched; extraction may later read fewer.
MOST_KEPT = 20_000
_CUT = "\n[...]\n"


@dataclass(frozen=True, slots=True)
class LearnableTurn:
    """A turn worth learning from.

    `id` is the turn's, `speaker` what their account is called, `at` ISO 8601 in UTC, `language` a BCP 47
    tag or empty. `account` is theirs, empty where the person is named after it. `question` is what the
    agent had asked when `said` is a bare yes or no. `origin` is where it was said.
    """

    id: str
    thread: str
    speaker: str
    said: str
    reply: str
    at: str
    language: str
    private: bool
    question: str = ""
    account: str = ""
    origin: FactOrigin = NO_ORIGIN


@dataclass(frozen=True, slots=True)
class LearnableTurns:
    """One person's turns, oldest first, without those that say nothing."""

    person: str
    turns: tuple[LearnableTurn, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.turns)


def select_learnable(
    person: str,
    turns: Iterable[CompletedTurn],
    *,
    groups: Groups = Groups.SEPARATE,
    earlier: Iterable[CompletedTurn] = (),
) -> LearnableTurns:
    """Return the turns of `person` that are worth learning from; those of others are dropped.

    A turn in which nothing personal is said counts only as what the next one of its thread refers to.
    `earlier` are turns already learned from: only their questions count, for a "yes" that answers one.
    With `groups` off nothing is learned where others listen.
    """
    asked: dict[str, str] = {}
    for turn in sorted(earlier, key=_time):
        asked[turn.thread] = yes_no_question(turn.reply_text)
    kept = []
    for turn in sorted(turns, key=_time):
        if turn.person != person:
            continue
        learned = _learned(turn, asked.get(turn.thread, ""))
        asked[turn.thread] = yes_no_question(turn.reply_text)
        if learned is not None and (turn.private or groups is not Groups.OFF):
            kept.append(learned)
    return LearnableTurns(person, tuple(_with_context(kept)))


def _with_context(turns: Sequence[LearnableTurn]) -> Iterator[LearnableTurn]:
    """Yield the personal turns, each with the one before it in its thread."""
    personal = [bool(turn.question) or may_be_personal(turn.said) for turn in turns]
    following: dict[str, bool] = {}
    wanted = []
    for turn, own in zip(reversed(turns), reversed(personal), strict=True):
        wanted.append(own or following.get(turn.thread, False))
        following[turn.thread] = own
    return compress(turns, reversed(wanted))


def _time(turn: CompletedTurn) -> float:
    return turn.at


def _learned(turn: CompletedTurn, question: str) -> LearnableTurn | None:
    """Return the turn with its text; None where the text says nothing, and then its reply is dropped too."""
    said = mask_secrets(own_words(head_and_tail(turn.user_text, MOST_KEPT))).text
    nothing = says_nothing(said)
    reply = mask_secrets(agent_words(head_and_tail(turn.reply_text, MOST_KEPT))).text
    if not said or (nothing and not question):
        return None
    return LearnableTurn(
        id=turn.id,
        thread=turn.thread,
        speaker=turn.speaker.name or turn.speaker.id,
        said=head_and_tail(said, MOST_SAID),
        reply=head_and_tail(reply, MOST_REPLY),
        at=format_timestamp(turn.at),
        language=turn.language,
        private=turn.private,
        question=question if nothing else "",
        account="" if account_key(turn.speaker) == turn.person else account_key(turn.speaker),
        origin=FactOrigin(turn.conversation.key, turn.link),
    )


def head_and_tail(text: str, most: int) -> str:
    """Return at most `most` characters and a mark: a longer text loses its middle."""
    if len(text) <= most:
        return text
    half = most // 2
    return text[:half].rstrip() + _CUT + text[-half:].lstrip()
