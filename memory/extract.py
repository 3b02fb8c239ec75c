"""From new turns to a proposed Diff: one model call for a chunk of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Protocol

from parley.core.types import Turn
from parley.memory.diff import Diff
from parley.memory.document import Category, Fact, MemoryDocument, Summaries
from parley.memory.escape import escaped
from parley.memory.filter import MOST_REPLY, MOST_SAID, Learned, Material, head_and_tail
from parley.memory.model import Model
from parley.memory.parse import SECTIONS, Shown, is_update, read_object, read_text
from parley.memory.prompt import Prompts

# A memory of this many facts is shown whole; of a larger one what is near to what was said, and what is new.
MOST_SHOWN = 120
_NEAREST, _NEWEST = 60, 30
_AS_LONG_AS = 600
_AROUND = 30  # tokens of a turn's number, time and names


class Index(Protocol):
    """Finds facts by what is said; see memory/index.py."""

    def search(self, messages: Sequence[str], limit: int = 300) -> list[tuple[Fact, float]]: ...


class Extractor(Protocol):
    """Proposes what to change in a memory. `name` is what operators know it by."""

    @property
    def name(self) -> str: ...

    async def open(self) -> None:
        """Make it ready. Raises ConfigError when it can never work."""
        ...

    async def extract(self, material: Material, document: MemoryDocument, index: Index, now: float) -> Diff:
        """What the turns change. `now` is Unix seconds. Raises MemoryFailed."""
        ...


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks a model. `zone` is where days begin and end (None: where Parley runs)."""

    model: Model
    prompts: Prompts
    zone: tzinfo | None = None

    @property
    def name(self) -> str:
        return self.model.name

    async def open(self) -> None:
        await self.model.open()

    async def extract(self, material: Material, document: MemoryDocument, index: Index, now: float) -> Diff:
        about, shown = await asyncio.to_thread(self._question, material, document, index, now)
        answer = await self.model.ask(self.prompts.rules, about)
        for arguments in answer.objects:
            if is_update(arguments):
                return read_object(arguments, shown)
        return await asyncio.to_thread(read_text, answer.text, shown)

    def _question(
        self, material: Material, document: MemoryDocument, index: Index, now: float
    ) -> tuple[str, Shown]:
        facts = what_matters(document.facts, index, [turn.said for turn in material.turns])
        last = material.turns[-1]
        languages = [turn.language for turn in material.turns if turn.language]
        values = {
            "now": datetime.fromtimestamp(now, self.zone).astimezone(self.zone).strftime(_MOMENT),
            "person": escaped(one_line(last.speaker)),
            "language": f", whose account's language is {escaped(one_line(languages[-1]))}"
            if languages
            else "",
            "summaries": "\n".join(summary_lines(document.summaries)) or "(none)",
            "facts": "\n".join(map(slim, facts)) or "(none)",
            "turns": "\n\n".join(self._turns(material.turns)),
            "hints": self.prompts.signals.said([turn.said for turn in material.turns]),
        }
        shown = Shown(frozenset(fact.id for fact in facts), tuple(turn.id for turn in material.turns))
        return self.prompts.about(values), shown

    def _turns(self, turns: Sequence[Learned]) -> Iterator[str]:
        threads = list(dict.fromkeys(turn.thread for turn in turns))
        for number, turn in enumerate(turns, 1):
            place = f", conversation {threads.index(turn.thread) + 1}" if len(threads) > 1 else ""
            yield f"[T{number}] {self._moment(turn.at)}{place}\n{spoken(turn)}"

    def _moment(self, at: str) -> str:
        if not at:
            return "at an unknown time"
        return datetime.fromisoformat(at).astimezone(self.zone).strftime(_MOMENT)


_MOMENT = "%A %Y-%m-%d %H:%M (UTC%z)"


def spoken(turn: Learned) -> str:
    """A turn's words, escaped; the question before them where they only answer it."""
    asked = [f"Assistant: {escaped(turn.question)}"] if turn.question else []
    reply = [f"Assistant: {escaped(turn.reply)}"] if turn.reply else []
    return "\n".join([*asked, f"User: {escaped(turn.said)}", *reply])


def slim(fact: Fact) -> str:
    """`id | category | confidence | text`, on one line."""
    return f"{fact.id} | {fact.category} | {fact.confidence:.2f} | {escaped(one_line(fact.content))}"


def summary_lines(summaries: Summaries) -> Iterator[str]:
    """The summaries that there are, under their names on the wire."""
    for names in SECTIONS.values():
        for wire, name in names.items():
            text = getattr(summaries, name).text
            if text:
                yield f"{wire}: {escaped(one_line(text))}"


def one_line(text: str) -> str:
    """A text with its line breaks as spaces."""
    return " ".join(text.split())


def what_matters(facts: Sequence[Fact], index: Index, said: Sequence[str]) -> list[Fact]:
    """The facts that a model needs to see for these words, in their own order.

    Of a large memory: those nearest to what was said, turn by turn, all corrections that find room, and
    the newest.
    """
    if len(facts) <= MOST_SHOWN:
        return list(facts)
    each = max(5, _NEAREST // max(len(said), 1))
    near = [fact.id for words in said for fact, _ in index.search([words[:_AS_LONG_AS]], each)]
    newest = [fact.id for fact in facts[-_NEWEST:]]
    corrections = [fact.id for fact in reversed(facts) if fact.category is Category.CORRECTION]
    chosen = set(list(dict.fromkeys([*near[:_NEAREST], *newest, *corrections, *near]))[:MOST_SHOWN])
    return [fact for fact in facts if fact.id in chosen]


def chunks(turns: Sequence[Turn], count: Callable[[str], int], most: int) -> Iterator[tuple[Turn, ...]]:
    """The turns, in order, in parts of at most `most` tokens, but of one turn at least."""
    part: list[Turn] = []
    used = 0
    for turn in turns:
        words = f"{head_and_tail(turn.user_text, MOST_SAID)}\n{head_and_tail(turn.reply_text, MOST_REPLY)}"
        tokens = count(escaped(words)) + _AROUND
        if part and used + tokens > most:
            yield tuple(part)
            part, used = [], 0
        part.append(turn)
        used += tokens
    if part:
        yield tuple(part)
