"""Dead letters: what was given up, told to the operator, who looks at it, tries it again or drops it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from parley.core.hitl.records import QuestionEvent
from parley.core.inbound.turn_queue import BusySignal, retry_items
from parley.core.model.address import Conversation, account_key
from parley.core.model.codec import decode
from parley.core.model.feedback import Feedback
from parley.core.model.queues import (
    BUSY_SIGNALS,
    COMMANDS,
    FEEDBACK,
    FEEDBACK_DELIVERIES,
    LEARNING,
    QUESTIONS,
    TURNS,
)
from parley.core.model.types import CompletedTurn, InboundMessage
from parley.core.ports.journal import NEWEST_DEAD, Claim, Journal, QueueItem
from parley.core.state.conversations import keep_topic
from parley.core.state.turn_record import TurnRecord

log = logging.getLogger(__name__)

PAGE, MOST_ON_PAGE = 100, 1000
"""Messages on a page of dead letters: without a wish, and at most."""

_COUNTED = (TURNS, COMMANDS, BUSY_SIGNALS, QUESTIONS, LEARNING, FEEDBACK, FEEDBACK_DELIVERIES)

REFUSED_REASON = "the platform refused the answer: {}"
BROKEN_REASON = "handling it broke; see the log"
POISON_REASON = (
    "the process ended {} times in a row while it worked on this, {} times with no other suspect beside it"
)


class DeadLetterKind(StrEnum):
    """What was given up."""

    ANSWER = "answer"
    """The platform does not take it."""
    TURN = "turn"
    """Handling the message broke."""
    MEMORY = "memory"
    """A turn that could not be learned from."""
    QUESTION = "question"
    FEEDBACK = "feedback"
    """A service was not told what somebody thinks of an answer."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What was given up, under the number of its first item; `at` is when it was accepted (Unix seconds).

    `person` is an account, `name` what it is called; both are empty where nobody is known. `said` is the
    person's message, `answer` what was to be delivered. `items` are the numbers that belong together.
    """

    item: int
    kind: DeadLetterKind
    conversation: str
    person: str
    name: str
    at: float
    reason: str
    said: str = ""
    answer: str = ""
    items: tuple[int, ...] = ()
    messages: tuple[InboundMessage, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class DeadLetterPage:
    """Some of the letters, newest first; `after` leads to the next page and is empty on the last."""

    letters: tuple[DeadLetter, ...]
    after: str


class DeadLetterStore(Journal, Protocol):
    """A journal with the operator's side of dead letters. Every method raises StoreUnavailable."""

    async def revive(self, item: int) -> bool:
        """Let a dead letter wait again; False if there is none."""
        ...

    async def discard(self, item: int) -> bool:
        """Remove a dead letter for good; False if there is none."""
        ...

    async def dead_by_queue(self) -> Mapping[str, int]:
        """Return how many dead letters each queue has, without the empty ones."""
        ...


class DeadLetters:
    """The operator's hands on dead letters. Every method raises StoreUnavailable."""

    def __init__(self, store: DeadLetterStore) -> None:
        self._store = store

    async def page(self, limit: int = PAGE, after: str = "") -> DeadLetterPage:
        """Return the letters after those of an earlier page. Raises ValueError for an `after` of no page.

        What was given up at one moment, such as the messages of one turn, is not parted, unless it is more
        than a page.
        """
        found = await self._store.dead(limit + 1, parse_position(after))
        if len(found) <= limit:
            return DeadLetterPage(group_dead_letters(found), "")
        torn = found[limit].ended_at
        here = [each for each in found if each.ended_at != torn] or found[:limit]
        return DeadLetterPage(group_dead_letters(here), position_after(here[-1]))

    async def find(self, item: int) -> DeadLetter | None:
        """Return the letter of this number, or of which this is a part; None where there is none."""
        beside = group_dead_letters(await self._store.dead_beside(item))
        return next((each for each in beside if item in each.items), None)

    async def retry(self, item: int) -> bool:
        """Try it again: an answer is delivered, a turn worked anew, memory learns; False where there is none.

        A delivery that fails again is a letter again.
        """
        letter = await self.find(item)
        if letter is None:
            return False
        if letter.kind is DeadLetterKind.TURN and letter.messages:
            await self._store.put(*retry_items(letter.messages, f"letter-{letter.item}"))
            await self._discard(letter)
        else:
            for each in letter.items:
                await self._store.revive(each)
        return True

    async def drop(self, item: int) -> bool:
        """Remove it for good; False where there is none."""
        letter = await self.find(item)
        if letter is not None:
            await self._discard(letter)
        return letter is not None

    async def counts(self) -> Mapping[str, int]:
        """Return how many messages were given up, by what they waited for: `turns`, `memory` and others."""
        found = dict.fromkeys(_COUNTED, 0)
        for queue, number in (await self._store.dead_by_queue()).items():
            name = queue.partition("/")[0]
            found[name] = found.get(name, 0) + number
        return found

    async def _discard(self, letter: DeadLetter) -> None:
        for each in letter.items:
            await self._store.discard(each)


def position_after(item: QueueItem) -> str:
    """Return what leads to the dead letters after this one."""
    return f"{item.ended_at!r}/{item.id}"


def parse_position(after: str) -> tuple[float, int]:
    """Return the moment and the number that an `after` names, the newest of "".

    Raises ValueError for one of no page.
    """
    if not after:
        return NEWEST_DEAD
    at, _, item = after[:60].partition("/")
    if not (item.isascii() and item.isdecimal() and len(item) < 19):
        raise ValueError("after: take it from an earlier page.")
    return float(at), int(item)


async def bury_items(journal: Journal, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
    """Give items up, and tell the operator whose they are and where. Raises LaneLost, StoreUnavailable.

    The topic of a turn stays one where we talk.
    """
    if claim.queue.partition("/")[0] == TURNS:
        await keep_topic(journal, Conversation.parse(claim.lane))
    await journal.bury(claim, items, reason)
    seen = _Seen.of(items[0])
    log.error(
        "%s: given up; written by %s; %s (parley letters show %d)",
        seen.conversation or claim.lane,
        seen.person or "Parley itself",
        reason,
        items[0].id,
    )


def group_dead_letters(dead: Sequence[QueueItem]) -> tuple[DeadLetter, ...]:
    """Return the letters that these items are: those of one turn are one."""
    read = {item.id: (item, *_note_and_reason(item)) for item in dead}
    followers: dict[int, list[int]] = {}
    for number, (item, record, _) in read.items():
        others = [each for each in record.items if each in read and each != number]
        if others and _lane(item) == _lane(read[others[0]][0]):
            followers[number] = others
    parts = {each for others in followers.values() for each in others}
    return tuple(
        _letter(item, record, reason, [read[each][0] for each in followers.get(number, ())])
        for number, (item, record, reason) in read.items()
        if number not in parts
    )


def _lane(item: QueueItem) -> tuple[str, str]:
    return item.queue, item.lane


def _note_and_reason(item: QueueItem) -> tuple[TurnRecord, str]:
    """Return the record of a turn, where the item carries one, and why the item was given up."""
    note, line_end, reason = item.note.partition("\n")
    if line_end or note.startswith("{"):
        try:
            return decode(TurnRecord, note), reason or note
        except ValueError:
            return TurnRecord(), reason or note
    return TurnRecord(), item.note


def _letter(item: QueueItem, record: TurnRecord, reason: str, others: Iterable[QueueItem]) -> DeadLetter:
    items = sorted((item, *others), key=lambda each: each.id)
    kind, seen = _kind(item, record), [_Seen.of(each) for each in items]
    first = seen[0]
    return DeadLetter(
        item.id,
        kind,
        first.conversation or item.lane,
        first.person,
        first.name,
        item.put_at,
        " ".join(reason.split()),
        "\n".join(each.said for each in seen if each.said),
        first.answer or record.text,
        tuple(each.id for each in items),
        tuple(each.message for each in seen if each.message is not None),
    )


def _kind(item: QueueItem, record: TurnRecord) -> DeadLetterKind:
    name = item.queue.partition("/")[0]
    if name in (TURNS, COMMANDS):
        return DeadLetterKind.ANSWER if record.text and not record.broken else DeadLetterKind.TURN
    others = {
        LEARNING: DeadLetterKind.MEMORY,
        QUESTIONS: DeadLetterKind.QUESTION,
        FEEDBACK: DeadLetterKind.FEEDBACK,
        FEEDBACK_DELIVERIES: DeadLetterKind.FEEDBACK,
    }
    return others.get(name, DeadLetterKind.OTHER)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What an item says of itself; all of it is empty where it cannot be read."""

    conversation: str = ""
    person: str = ""
    name: str = ""
    said: str = ""
    answer: str = ""
    message: InboundMessage | None = None

    @classmethod
    def of(cls, item: QueueItem) -> _Seen:
        name = item.queue.partition("/")[0]
        try:
            match name:
                case "turns" | "commands":
                    message = decode(InboundMessage, item.body)
                    return cls._written(message, message if name == TURNS else None)
                case "knocks":
                    return cls._written(decode(BusySignal, item.body).message)
                case "memory":
                    turn = decode(CompletedTurn, item.body)
                    place, who = turn.conversation.key, turn.speaker
                    return cls(place, account_key(who), who.name, turn.user_text, turn.reply_text)
                case "questions":
                    return cls(said=decode(QuestionEvent, item.body).key)
                case "feedback-to":
                    told = decode(Feedback, item.body)
                    return cls(told.conversation, told.account, said=told.comment)
        except ValueError:
            return cls()
        return cls()

    @classmethod
    def _written(cls, message: InboundMessage, whole: InboundMessage | None = None) -> _Seen:
        who = message.sender
        return cls(message.conversation.key, account_key(who), who.name, message.text, message=whole)
