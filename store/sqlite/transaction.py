"""What an operation works with: one open transaction, one moment, one node."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from bridge.ports import Document, Item

Value: TypeAlias = str | int | float | None
Row: TypeAlias = tuple[Any, ...]  # the columns' types are the schema's


@dataclass(frozen=True, slots=True)
class Transaction:
    """`now` and `lease_until` are Unix seconds; `woken` gathers the queues that may have work now."""

    connection: sqlite3.Connection
    node: str
    now: float
    lease_until: float
    woken: set[str] = field(default_factory=set)

    def rows(self, statement: str, *values: Value) -> list[Row]:
        """All rows of a query, or of a change with RETURNING."""
        return self.connection.execute(statement, values).fetchall()

    def insert(self, statement: str, *values: Value) -> int:
        """The new row's id."""
        return self.connection.execute(statement, values).lastrowid or 0

    def change(self, statement: str, *values: Value) -> int:
        """How many rows were changed."""
        return self.connection.execute(statement, values).rowcount


class Mergeable(ABC):
    """An operation of which many in a row are made together, in fewer statements than one by one."""

    @abstractmethod
    def __call__(self, tx: Transaction) -> object:
        """Make it by itself."""

    @classmethod
    @abstractmethod
    def together(cls, tx: Transaction, operations: Sequence[Self]) -> Iterable[object]:
        """What each would answer if they were made in turn."""


def items_of(rows: Iterable[Row]) -> tuple[Item, ...]:
    """Rows of the columns `sql.ITEM`, as items."""
    return tuple(Item(*row) for row in rows)


def documents_of(rows: Iterable[Row]) -> tuple[Document, ...]:
    """Rows of key, body and version, as documents."""
    return tuple(Document(*row) for row in rows)
