"""Where everything about a person is."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from parley.core.model.address import User
from parley.core.ports.memory.controls import NO_MEMORY_CONTROLS, MemoryControls
from parley.core.ports.memory.past_turns import NO_PAST_TURNS, PastTurns
from parley.core.ports.memory.port import Memory
from parley.core.ports.store_admin import StoreAdmin
from parley.core.state.conversations import ConversationRepository
from parley.core.state.pairing import Pairing
from parley.core.state.people import PersonRepository
from parley.core.state.team_chats import TeamChats


class AuditOnErase(StrEnum):
    """What becomes of a person's lines in the audit record when they are erased."""

    KEEP = "keep"
    ANONYMISE = "anonymise"
    """What was done and when stays; who it was, and what they wrote, goes."""
    REMOVE = "remove"


class AgentThreads(Protocol):
    """Threads on the agent server. Every method raises AgentError."""

    async def copy(self, thread: str) -> str:
        """Return the thread's newest state as JSON text; "" where there is no such thread."""
        ...

    async def forget(self, thread: str) -> bool:
        """Delete a thread and all that it has; False where there is no such thread."""
        ...


@dataclass(frozen=True, slots=True)
class ExportPiece:
    """One thing for an export: a name for it, and its content, or the file that has it."""

    name: str
    content: bytes = b""
    file: Path | None = None


class ThreadWorkspaces(Protocol):
    """Files that the built-in agent keeps for threads. Every method raises OSError."""

    def pieces(self, thread: str) -> AsyncIterator[ExportPiece | None]:
        """Yield a thread's files; None for one that cannot be read."""
        ...

    async def erase(self, thread: str) -> int:
        """Remove a thread's files; returns how many."""
        ...


class NoThreadWorkspaces:
    """Nothing is kept."""

    async def pieces(self, thread: str) -> AsyncIterator[ExportPiece | None]:
        return
        yield

    async def erase(self, thread: str) -> int:
        return 0


NO_THREAD_WORKSPACES = NoThreadWorkspaces()


@runtime_checkable
class PersonalDataStore(Protocol):
    """A channel that keeps things of people by itself. Every method raises StoreUnavailable."""

    def kept(self, user: User) -> AsyncIterator[ExportPiece]:
        """Yield all that it keeps of an account."""
        ...

    async def erase(self, user: User) -> int:
        """Remove all that it keeps of an account; returns how many things."""
        ...


@dataclass(frozen=True, slots=True)
class DataSources:
    """Everything that has to be asked. `files` is the folder for attachments, `patience` how many seconds a
    turn that is under way is waited for; days of use begin at midnight in `zone`. With
    `shared` there are other nodes, each with such a folder of its own. `told` are the services that hear what
    people think of answers.
    """

    archive: StoreAdmin
    memory: Memory
    people: PersonRepository
    pairing: Pairing
    conversations: ConversationRepository
    threads: AgentThreads
    channels: Callable[[], Sequence[PersonalDataStore]]
    files: Path
    audit: AuditOnErase
    zone: tzinfo
    clock: Callable[[], float]
    patience: float = 30.0
    shared: bool = False
    told: tuple[str, ...] = ()
    past_turns: PastTurns = NO_PAST_TURNS
    memory_controls: MemoryControls = NO_MEMORY_CONTROLS
    thread_files: ThreadWorkspaces = NO_THREAD_WORKSPACES

    @property
    def team_chats(self) -> TeamChats:
        """The chats that have a memory of their own."""
        return TeamChats(self.archive)
