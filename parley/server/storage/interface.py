"""What an engine of the server's storage is: rows, checkpoints, and the store of items."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from parley.core.model.types import Json

if TYPE_CHECKING:  # whoever only reads settings does not wait for langgraph
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

SqlValue: TypeAlias = "str | bytes | int | float | None"
Row: TypeAlias = "tuple[SqlValue, ...]"

MEMORY = "memory"
"""What a run is told about a person is not kept with its checkpoints: they outlive what is forgotten."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement and the rows of parameters to run it with; "?" stands for a parameter."""

    sql: str
    rows: Sequence[Sequence[SqlValue]]


class JsonConditions(Protocol):
    """How an engine asks for what is in a column of JSON, in which all else is portable."""

    def has(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        """Return a condition, and its parameters: the column `metadata` has this value under the key."""
        ...

    def lists(self, key: str, value: Json) -> tuple[str, list[SqlValue]]:
        """Return a condition, and its parameters: the column `metadata` has a list with the value there."""
        ...

    def among(self, column: str, values: Sequence[str]) -> tuple[str, list[SqlValue]]:
        """Return a condition, and its parameters: the column has one of these values."""
        ...


class Database(Protocol):
    """Tables with the same names and columns in each engine; `errors` are what its failures raise."""

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The exceptions of a database that fails, or is away."""
        ...

    @property
    def away(self) -> tuple[type[Exception], ...]:
        """Those of them after which what was under way is to be tried again, here or by another server."""
        ...

    @property
    def conditions(self) -> JsonConditions:
        """How JSON is asked for."""
        ...

    async def read(self, sql: str, parameters: Sequence[SqlValue] = ()) -> list[Row]:
        """Return all rows of a query."""
        ...

    async def write(self, *statements: Statement, durable: bool = False) -> None:
        """Run statements in one transaction; committed on return, and if `durable` also synced to disk.

        Every commit survives the death of this process; a durable one, and all before it, survives the
        machine's. Raises one of `errors`, ValueError or OverflowError: nothing of it happened.
        """
        ...


@dataclass(frozen=True, slots=True)
class RollbackPoint:
    """Where a thread stood before a run: its newest checkpoint ("" for none) and that one's writes."""

    checkpoint: str
    writes: tuple[tuple[str, int], ...]

    def dump(self) -> str:
        """As JSON."""
        return json.dumps([self.checkpoint, self.writes])

    @classmethod
    def load(cls, text: str) -> RollbackPoint:
        """The inverse of `dump`."""
        checkpoint, writes = json.loads(text)
        return cls(checkpoint, tuple((task, index) for task, index in writes))


class Checkpoints(Protocol):
    """The library's checkpoints in our tables; newest is what was saved last, whatever clocks said."""

    @property
    def saver(self) -> BaseCheckpointSaver[str]:
        """What graphs save with."""
        ...

    async def mark(self, thread: str) -> RollbackPoint:
        """Return where the thread stands now."""
        ...

    async def has(self, thread: str, namespace: str, checkpoint: str) -> bool:
        """Return whether a checkpoint is there."""
        ...

    async def taken_by(self, thread: str, run_id: str) -> bool:
        """Return whether the thread's newest checkpoint is that run's: its input is already in it then."""
        ...

    async def rollback(self, thread: str, mark: RollbackPoint) -> None:
        """Undo everything that the thread has saved since `mark`."""
        ...

    async def delete(self, thread: str) -> None:
        """Forget the thread."""
        ...

    def keep_newest(self, threads: Sequence[str], keep: int) -> list[Statement]:
        """Return what leaves each thread its newest `keep` checkpoints: it would grow for ever."""
        ...

    def forget_subgraphs(self, threads: Sequence[str]) -> list[Statement]:
        """Return what forgets what finished threads kept of subgraphs.

        A namespace with ":" carries a task's id, and no later run can come back to it.
        """
        ...

    def copy(self, thread: str, other: str) -> list[Statement]:
        """Return what gives another thread, which has none, all that one has."""
        ...


class Cluster(Protocol):
    """The servers that share one storage. What one holds is free once it does not show that it lives.

    `errors` are raised where the database fails.
    """

    errors: tuple[type[Exception], ...]

    @property
    def name(self) -> str:
        """This server's name, which changes when it was away for too long."""
        ...

    @property
    def clock(self) -> Callable[[], float]:
        """The database's time, in Unix seconds: servers' own may differ."""
        ...

    async def acquire(self, name: str) -> bool:
        """Return whether this server holds a lock from now on, also where it does already."""
        ...

    async def release(self, name: str) -> None:
        """Let go of a lock. Where it raises, that is done once the database answers again."""
        ...

    async def leads(self) -> bool:
        """Return whether this server does what one of them does for all."""
        ...

    def announce(self, topic: str, text: str) -> Statement:
        """Return what tells all servers, this one too, once its transaction is committed."""
        ...

    def subscribe(self, topic: str, hear: Callable[[str], None]) -> None:
        """Have a function called with what is announced. It may not block."""
        ...

    def on_gap(self, look: Callable[[], None]) -> None:
        """Have a function called now and then, and whenever something may have been missed."""
        ...

    def on_lost(self, give_up: Callable[[], None]) -> None:
        """Have a function called when others may have taken over what this server held."""
        ...


@runtime_checkable
class InsertsItems(Protocol):
    """A store of items that decides which of several servers was first."""

    async def insert_item(self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any]) -> bool:
        """Write an item unless there is one of this key; return whether it was written.

        It is one step of the database, synced to disk where the engine has others to tell of it. It is not
        found by meaning. Raises one of the database's `errors`: whether it was written is not known then.
        """
        ...


@dataclass(frozen=True, slots=True)
class Storage:
    """An engine that is open; `cluster` are the servers that share it, None where one has it alone."""

    database: Database
    checkpoints: Checkpoints
    items: BaseStore
    cluster: Cluster | None = None


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """A schema of a PostgreSQL database.

    A server that has not shown for `lease` seconds that it lives counts as dead.
    """

    url: str = field(repr=False)
    schema: str = "parley_agent"
    lease: float = 15.0
