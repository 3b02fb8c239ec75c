"""What an operation works with: one open transaction, one moment, one node."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self, TypeAlias

import orjson

from parley.store.rows import Row

Value: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class Transaction:
    """`now` and `lease_until` are Unix seconds; `woken` gathers when which queues may have work."""

    connection: sqlite3.Connection
    node: str
    now: float
    lease_until: float
    woken: dict[str, float] = field(default_factory=dict)

    def wake(self, queue: str, ready_at: float = 0.0) -> None:
        """Note that the queue may have work at that time, or at once."""
        self.woken[queue] = min(self.woken.get(queue, ready_at), ready_at)

    def rows(self, statement: str, *values: Value) -> list[Row]:
        """Return all rows of a query, or of a change with RETURNING."""
        return self.connection.execute(statement, values).fetchall()

    def insert(self, statement: str, *values: Value) -> int:
        """Return the new row's id."""
        return self.connection.execute(statement, values).lastrowid or 0

    def change(self, statement: str, *values: Value) -> int:
        """Return how many rows were changed."""
        return self.connection.execute(statement, values).rowcount


class Mergeable(ABC):
    """An operation of which many in a row are made together, in fewer statements than one by one.

    Every step of a statement lets the interpreter's lock go, and waits for it again behind the event loop,
    which costs more than to write a row. `single` says that by itself it is one statement: one more step
    to begin a transaction and one to commit it are saved.
    """

    single: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, tx: Transaction) -> object:
        """Make it by itself."""

    @classmethod
    @abstractmethod
    def together(cls, tx: Transaction, operations: Sequence[Self]) -> Iterable[object]:
        """Return what each would answer if they were made in turn."""


def as_list(numbers: Sequence[int]) -> str:
    """Return numbers as a list in JSON: whom a row is about."""
    return orjson.dumps(numbers).decode()


def as_json(rows: Sequence[object]) -> str | None:
    """Return a list for SQLite's json_each, which takes it apart without the interpreter's lock.

    None where it would not come out as it went in: to SQLite's JSON a text ends at a NUL. Raises ValueError
    where a text is no valid Unicode.
    """
    try:
        text = orjson.dumps(rows).decode()
    except TypeError as error:
        raise ValueError(str(error)) from error
    return None if "\\u0000" in text else text
