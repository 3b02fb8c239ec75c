"""The port to memory: what is recalled for a run, what is learned from turns, and a person's hands on it.

A person is named by an id of ours (see `parley/core/state/people.py`): several accounts may be one person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from parley.core.model.types import CompletedTurn


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """When something is recalled: by whom, for which assistant, on which thread, and what was said.

    `messages` are the person's latest words here, oldest first, the current ones last. `private` says
    that nobody else reads the answer.
    """

    person: str
    assistant: str
    thread: str
    messages: tuple[str, ...]
    private: bool


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """Where a fact was said: the key of the conversation, the message's address on its platform, and what
    the speaker is called, where it is a team's fact. Empty where that is not known.
    """

    conversation: str = ""
    link: str = ""
    speaker: str = ""


NO_ORIGIN = FactOrigin()
INSTRUCTION = "instruction"
"""The category of what the person wants of every answer."""
MOST_INSTRUCTIONS = 20
"""Standing instructions that an agent is told at most, the newest ones."""


@dataclass(frozen=True, slots=True)
class FactView:
    """One remembered fact, as its person sees it; `at` is ISO 8601, `confidence` 0 to 1.

    `until` is the date until which it held, empty for what holds. `confirmed` is when it was last said again,
    `shared` that it was said where others listen, and `accounts` are those that said it, where the person is
    not named after them. `also_said` is where it was said again.
    """

    id: str
    content: str
    category: str
    confidence: float
    at: str
    source: str
    until: str = ""
    confirmed: str = ""
    shared: bool = False
    accounts: tuple[str, ...] = ()
    origin: FactOrigin = NO_ORIGIN
    also_said: tuple[FactOrigin, ...] = ()


SIMPLE_RULES = "simple rules"
"""Who learns where there is no model."""


@dataclass(frozen=True, slots=True)
class MemoryView:
    """A whole memory, as its person sees it: summaries that are not empty, by their names in the file
    (`workContext` ...), and facts, newest first.

    `waiting` counts turns that will be learned from soon. `damaged` names what holds a memory that cannot be
    read: nothing is learned until it is repaired or cleared. `secrets`, `orders` and `unsaid` count what was
    kept out: secrets masked, orders to the assistant kept as quotations, and statements that nobody made.
    `learner` is the model or the assistant that learns, or `SIMPLE_RULES`.
    """

    on: bool
    summaries: tuple[tuple[str, str], ...] = ()
    facts: tuple[FactView, ...] = ()
    waiting: int = 0
    damaged: str = ""
    secrets: int = 0
    orders: int = 0
    unsaid: int = 0
    learner: str = ""


@dataclass(frozen=True, slots=True)
class MemoryNotices:
    """What a person is told below an answer: `damaged` as in `MemoryView`, once a day, and how many secrets
    in their message are not remembered. `first` says that they learn now, once, that they are remembered.
    `stale` is a fact of which they are asked whether it still holds. `instructions` is how many standing
    instructions they have, with one of this message, where those are more than an agent is told.
    """

    damaged: str = ""
    secrets: int = 0
    first: bool = False
    stale: FactView | None = None
    instructions: int = 0


class UndoResult(StrEnum):
    """What became of a wish to take the last change back."""

    DONE = "done"
    NOTHING = "nothing"
    FORGOTTEN = "forgotten"
    """The last change was a forgetting: it stays, and so does everything else."""


@dataclass(frozen=True, slots=True)
class MergeOutcome:
    """What became of a memory that was merged into another: facts taken over, and those known already."""

    added: int
    known: int


@dataclass(frozen=True, slots=True)
class AccountUnlink:
    """An account that leaves a person; `named` says that the person is named after it.

    What nothing is noted about is then the account's own.
    """

    account: str
    named: bool


class Memory(Protocol):
    """Remembers people. All but `recall` raise MemoryFailed, whose text may be shown to the person."""

    @property
    def enabled(self) -> bool:
        """Return whether this Parley remembers anybody at all."""
        ...

    async def recall(self, occasion: RecallQuery) -> str:
        """Return the block of what is worth knowing about a person now, or empty.

        Never raises, never slow.
        """
        ...

    async def record(self, turn: CompletedTurn) -> None:
        """Take a finished turn into account, later; durable on return."""
        ...

    async def notices(self, person: str, said: str, *, private: bool) -> MemoryNotices:
        """Return what to tell a person below the answer to what they said. Never raises."""
        ...

    async def overview(self, person: str) -> MemoryView:
        """Return everything that is remembered of a person."""
        ...

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        """Return the facts that `words` are about, best first."""
        ...

    async def add(self, person: str, content: str, account: str = "") -> FactView:
        """Remember what a person says to remember; it counts as certain. Known already: the known one.

        `account` is the one that says so, or empty where the person is named after it.
        """
        ...

    async def forget(self, person: str, words: str) -> Sequence[FactView]:
        """Remove the fact of this id, or all that these words name; returns what is gone.

        Summaries that repeat it are scrubbed, it is not learned again from what was said before, and `undo`
        does not bring it back.
        """
        ...

    async def forgettable(self, person: str, words: str) -> Sequence[FactView]:
        """Return what `forget` would remove."""
        ...

    async def undo(self, person: str) -> UndoResult:
        """Take back the last change; a forgetting cannot be taken back, and then nothing changes."""
        ...

    async def switch(self, person: str, on: bool) -> None:
        """Learn and recall, or neither; what is remembered stays."""
        ...

    async def export(self, person: str) -> str:
        """Return the whole memory as the JSON of its file."""
        ...

    async def clear(self, person: str) -> int:
        """Forget everything, also what is still to be learned; returns how many facts there were."""
        ...

    async def merge(self, source: str, into: str, account: str = "") -> MergeOutcome:
        """Make one person's memory part of another's; the first one is empty afterwards.

        What came from it stays marked with `account`, so that `part` can give it back.
        """
        ...

    async def part(self, person: str, into: str, parting: AccountUnlink) -> int:
        """Give `into` what came from an account that left `person`; returns how many facts that was.

        Done again, as after a crash, it gives what is still there.
        """
        ...


class NullMemory:
    """Remembers nobody."""

    enabled = False

    async def recall(self, occasion: RecallQuery) -> str:
        return ""

    async def record(self, turn: CompletedTurn) -> None:
        return None

    async def notices(self, person: str, said: str, *, private: bool) -> MemoryNotices:
        return MemoryNotices()

    async def overview(self, person: str) -> MemoryView:
        return MemoryView(on=False)

    async def search(self, person: str, words: str) -> Sequence[FactView]:
        return ()

    async def add(self, person: str, content: str, account: str = "") -> FactView:
        return FactView("", content, "", 0.0, "", "")

    async def forget(self, person: str, words: str) -> Sequence[FactView]:
        return ()

    async def forgettable(self, person: str, words: str) -> Sequence[FactView]:
        return ()

    async def undo(self, person: str) -> UndoResult:
        return UndoResult.NOTHING

    async def switch(self, person: str, on: bool) -> None:
        return None

    async def export(self, person: str) -> str:
        return "{}"

    async def clear(self, person: str) -> int:
        return 0

    async def merge(self, source: str, into: str, account: str = "") -> MergeOutcome:
        return MergeOutcome(0, 0)

    async def part(self, person: str, into: str, parting: AccountUnlink) -> int:
        return 0
