"""The port to what people do with a memory themselves: ask why, edit, import, export, keep one as a team."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory.port import NO_ORIGIN, FactOrigin, FactView, RecallQuery


class ToldReason(StrEnum):
    """Why a fact was told to the agent."""

    WORDS = "words"
    """It shares words with what was said last."""
    CORRECTION = "correction"
    ALWAYS = "always"
    """It matters whatever is talked about."""
    SURE = "sure"
    """There was room, and it is among the surest."""


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact that the agent was told, why, and the words of the person that it is about."""

    fact: FactView
    reason: ToldReason
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldMemory:
    """What the agent was told of a memory; `others` counts lines that are no facts, or not any more."""

    facts: tuple[ToldFact, ...] = ()
    others: int = 0


class ExportShape(StrEnum):
    """The form of an export."""

    PARLEY = "parley"
    MEM0 = "mem0"
    CHATGPT = "chatgpt"


class ImportProblem(StrEnum):
    """What is wrong with a text that is to be imported."""

    NOT_JSON = "not_json"
    NO_MEMORIES = "no_memories"
    NO_TEXT = "no_text"
    TOO_MANY = "too_many"
    TOO_LARGE = "too_large"


class ImportRefused(MemoryFailed):
    """A text cannot be imported, because of what stands at `place`; nothing was changed."""

    def __init__(self, problem: ImportProblem, place: str) -> None:
        super().__init__(f"Nothing was imported: {problem.value.replace('_', ' ')} ({place}).")
        self.problem = problem
        self.place = place


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What became of imported memories; `left_out` were switched off there, or forgotten here."""

    added: int = 0
    known: int = 0
    left_out: int = 0
    shortened: int = 0
    secrets: int = 0


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What would become of imported memories, and the first texts that would be new."""

    result: ImportResult = ImportResult()
    facts: tuple[str, ...] = ()


class MemoryControls(Protocol):
    """Every method but `recall_team` raises MemoryFailed."""

    async def add(self, person: str, content: str, account: str, origin: FactOrigin) -> FactView:
        """Remember what a person says to remember, as `Memory.add`, and where they said it."""
        ...

    async def edit(
        self, person: str, fact_id: str, content: str, author: str = "", origin: FactOrigin = NO_ORIGIN
    ) -> FactView | None:
        """Give a fact another text; None where there is none of this id. `author` as in `FactChange`."""
        ...

    async def keep(self, person: str, fact_id: str) -> FactView | None:
        """Take a fact for certain, as its person wrote it; None where there is none of this id."""
        ...

    async def told(self, query: RecallQuery) -> ToldMemory | None:
        """Return what the agent was told on this thread last; None where that is not known."""
        ...

    async def import_text(self, person: str, text: str) -> ImportResult:
        """Add the memories in a text: ours, mem0's, ChatGPT's, or a line each. Raises ImportRefused."""
        ...

    async def preview_import(self, person: str, text: str) -> ImportPreview:
        """Return what `import_text` would do, and change nothing. Raises ImportRefused."""
        ...

    async def export(self, person: str, shape: ExportShape) -> str:
        """Return the memory in this shape."""
        ...

    async def recall_team(self, team: str, messages: Sequence[str]) -> str:
        """Return the block of a team's memory for a run, or empty. Never raises, never slow."""
        ...

    async def withdraw(self, team: str, accounts: Sequence[str]) -> int:
        """Remove what these accounts said for a team; returns how many facts that concerned."""
        ...


class NoMemoryControls:
    """Controls nothing."""

    async def add(self, person: str, content: str, account: str, origin: FactOrigin) -> FactView:
        return FactView("", content, "", 0.0, "", "")

    async def edit(
        self, person: str, fact_id: str, content: str, author: str = "", origin: FactOrigin = NO_ORIGIN
    ) -> FactView | None:
        return None

    async def keep(self, person: str, fact_id: str) -> FactView | None:
        return None

    async def told(self, query: RecallQuery) -> ToldMemory | None:
        return None

    async def import_text(self, person: str, text: str) -> ImportResult:
        return ImportResult()

    async def preview_import(self, person: str, text: str) -> ImportPreview:
        return ImportPreview()

    async def export(self, person: str, shape: ExportShape) -> str:
        return "{}"

    async def recall_team(self, team: str, messages: Sequence[str]) -> str:
        return ""

    async def withdraw(self, team: str, accounts: Sequence[str]) -> int:
        return 0


NO_MEMORY_CONTROLS = NoMemoryControls()
