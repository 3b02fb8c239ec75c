"""Extraction of a diff from new turns: one model call for each chunk of turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import starmap, zip_longest
from typing import Protocol

from parley.core.model.types import CompletedTurn
from parley.memory.learning.extraction.diff import Diff
from parley.memory.learning.extraction.llm import ExtractionModel
from parley.memory.learning.extraction.parse_response import ShownIds, is_update, read_object, read_text
from parley.memory.learning.extraction.prompts import Prompts
from parley.memory.learning.extraction.signals import FeedbackSignal
from parley.memory.learning.extraction.turn_filter import (
    MOST_REPLY,
    MOST_SAID,
    LearnableTurn,
    LearnableTurns,
    head_and_tail,
)
from parley.memory.model.document import Category, Fact, MemoryDocument, Summaries
from parley.memory.text.escape import escaped
from parley.memory.text.secrets.masking import mask_secrets

# Up to this many facts all are shown to the model; of more, those nearest to each turn, and the newest.
ALL_SHOWN = 20
MOST_NEAR = 60
_NEAR_EACH, _NEAR_IN_SHORT_LESSON = 5, 16
_MOST_TURNS = MOST_NEAR // _NEAR_EACH
"""Of a lesson: of more, some would not see the facts that say the same."""
_NEWEST, _CORRECTIONS = 2, 4
_AS_LONG_AS = 600
_AROUND = 30  # tokens of a turn's number, time and names


class FactSearch(Protocol):
    """Searches facts by messages; see memory/search/index.py."""

    def search(self, messages: Sequence[str], limit: int = 300) -> list[tuple[Fact, float]]: ...


class Extractor(Protocol):
    """Proposes changes of a memory. `name` is shown to operators."""

    @property
    def name(self) -> str: ...

    async def open(self) -> None:
        """Prepare for use. Raises ConfigError when it can never work."""
        ...

    def corrects(self, said: str) -> bool:
        """Return whether words seem to correct the assistant; quick."""
        ...

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        """Return the changes that the turns suggest. `now` is Unix seconds. Raises MemoryFailed."""
        ...


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Extracts with a language model. `zone` is the time zone of days (None: that of this machine)."""

    model: ExtractionModel
    prompts: Prompts
    zone: tzinfo | None = None

    @property
    def name(self) -> str:
        return self.model.name

    async def open(self) -> None:
        await self.model.open()

    def corrects(self, said: str) -> bool:
        return self.prompts.signals.detect(said) is FeedbackSignal.CORRECTION

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        about, shown = await asyncio.to_thread(self._question, material, document, index, now)
        return await self.propose(self.prompts.rules, about, shown)

    async def propose(self, rules: str, about: str, shown: ShownIds) -> Diff:
        """Call the model once, and return the update that it answers with. Raises MemoryFailed."""
        answer = await self.model.ask(rules, about)
        for arguments in answer.objects:
            if is_update(arguments):
                return read_object(arguments, shown)
        return await asyncio.to_thread(read_text, answer.text, shown)

    def _question(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> tuple[str, ShownIds]:
        chosen = select_facts(document.facts, index, [turn.said for turn in material.turns])
        facts = {f"F{number}": fact for number, fact in enumerate(chosen, 1)}
        last = material.turns[-1]
        languages = [turn.language for turn in material.turns if turn.language]
        values = {
            "now": datetime.fromtimestamp(now, self.zone).astimezone(self.zone).strftime(_MOMENT),
            "person": escaped(join_lines(last.speaker)),
            "language": f", whose account's language is {escaped(join_lines(languages[-1]))}"
            if languages
            else "",
            "summaries": "\n".join(summary_lines(document.summaries)) or "(none)",
            "facts": "\n".join(starmap(render_fact, facts.items())) or "(none)",
            "turns": "\n\n".join(self._turns(material.turns)),
            "hints": self.prompts.signals.hints_for([turn.said for turn in material.turns]),
        }
        ids = {name: fact.id for name, fact in facts.items()}
        shown = ShownIds(ids, tuple(turn.id for turn in material.turns))
        return self.prompts.render_turns(values), shown

    def _turns(self, turns: Sequence[LearnableTurn]) -> Iterator[str]:
        threads = list(dict.fromkeys(turn.thread for turn in turns))
        for number, turn in enumerate(turns, 1):
            place = f", conversation {threads.index(turn.thread) + 1}" if len(threads) > 1 else ""
            yield f"[T{number}] {self._moment(turn.at)}{place}\n{render_turn(turn)}"

    def _moment(self, at: str) -> str:
        if not at:
            return "at an unknown time"
        return datetime.fromisoformat(at).astimezone(self.zone).strftime(_MOMENT)


_MOMENT = "%A %Y-%m-%d %H:%M (UTC%z)"


def render_turn(turn: LearnableTurn) -> str:
    """Return a turn's text, escaped; with the question before it where it only answers that."""
    asked = [f"Assistant: {escaped(turn.question)}"] if turn.question else []
    reply = [f"Assistant: {escaped(turn.reply)}"] if turn.reply else []
    return "\n".join([*asked, f"User: {escaped(turn.said)}", *reply])


def render_fact(name: str, fact: Fact) -> str:
    """Return `name | category | text`, on one line; of a past fact also its end.

    A short name instead of the id, and no confidence, which changes no verdict: that is a sixth of a lesson.
    """
    past = f" (until {fact.until[:10]})" if fact.until else ""
    return f"{name} | {fact.category} | {_shown(fact.content)}{past}"


def summary_lines(summaries: Summaries) -> Iterator[str]:
    """Return the summaries that have a text, by their names in JSON."""
    return (f"{name}: {_shown(each.text)}" for name, each in summaries.named() if each.text)


def _shown(text: str) -> str:
    """Return a text of the memory for the model; older ones may still hold a secret."""
    return escaped(join_lines(mask_secrets(text).text))


def join_lines(text: str) -> str:
    """Return a text with its line breaks as spaces."""
    return " ".join(text.split())


def select_facts(facts: Sequence[Fact], index: FactSearch, said: Sequence[str]) -> list[Fact]:
    """Return the facts that a model needs to see for these words, in their own order.

    Those nearest to each turn, among which a fact that says the same is found, the newest facts and the
    newest corrections: what a lesson costs does not grow with the memory.
    """
    if len(facts) <= ALL_SHOWN:
        return list(facts)
    each = max(_NEAR_EACH, _NEAR_IN_SHORT_LESSON // max(len(said), 1))
    found = [[fact.id for fact, _ in index.search([words[:_AS_LONG_AS]], each)] for words in said]
    near = [name for rank in zip_longest(*found) for name in rank if name]  # the nearest of each turn first
    newest = [fact.id for fact in facts[-_NEWEST:]]
    corrections = [fact.id for fact in facts if fact.category == Category.CORRECTION][-_CORRECTIONS:]
    chosen = {*list(dict.fromkeys(near))[:MOST_NEAR], *newest, *corrections}
    return [fact for fact in facts if fact.id in chosen]


def chunk_turns(
    turns: Sequence[CompletedTurn], count: Callable[[str], int], most: int
) -> Iterator[tuple[CompletedTurn, ...]]:
    """Split turns, in order, into chunks of a few turns and of `most` tokens, but of one turn at least."""
    part: list[CompletedTurn] = []
    used = 0
    for turn in turns:
        words = f"{head_and_tail(turn.user_text, MOST_SAID)}\n{head_and_tail(turn.reply_text, MOST_REPLY)}"
        tokens = count(escaped(words)) + _AROUND
        if len(part) == _MOST_TURNS or (part and used + tokens > most):
            yield tuple(part)
            part, used = [], 0
        part.append(turn)
        used += tokens
    if part:
        yield tuple(part)
