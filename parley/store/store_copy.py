"""Everything of one store into another, empty one: of either engine, in either direction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Protocol, TypeAlias

from parley.core.model.errors import StoreUnavailable
from parley.store.rows import Row

OnProgress: TypeAlias = Callable[[str, int, int], None]

PAGE = 1000
"""Rows read at a time."""


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """What is copied as it stands; both engines name it alike. `key` is its order."""

    name: str
    columns: tuple[str, ...]
    key: str

    @property
    def listed(self) -> str:
        """The columns, for a statement."""
        return ", ".join(self.columns)


_ITEM = "id queue lane slot state attempts version put_at first_at run_at ended_at body note reason"
TABLES = (
    CopiedTable("items", tuple(_ITEM.split()), "id"),
    CopiedTable("names", ("queue", "name", "put_at", "bucket"), "queue, name"),
    CopiedTable("documents", ("key", "body", "version"), "key"),
    CopiedTable(
        "tallies", ("name", "until", "turns", "metered", "input", "output", "unpriced", "cost"), "name"
    ),
)

LANES = """INSERT INTO lanes (queue, lane, ready_at) SELECT queue, lane, run_at FROM items
    WHERE id IN (SELECT min(id) FROM items WHERE state = 0 GROUP BY queue, lane)"""
"""Lanes are not copied but made anew, all of them free: nobody works while a store is copied."""

COUNTS = """SELECT (SELECT count(*) FROM items WHERE state = 0), (SELECT count(*) FROM items WHERE state = 1),
    (SELECT count(*) FROM items WHERE state = 2), (SELECT count(*) FROM items WHERE state = 3),
    (SELECT count(*) FROM names), (SELECT count(*) FROM documents),
    (SELECT count(DISTINCT name) FROM tallies)"""


@dataclass(frozen=True, slots=True)
class CopyCounts:
    """How much of each there is."""

    waiting: int = 0
    finished: int = 0
    dead: int = 0
    cancelled: int = 0
    names: int = 0
    documents: int = 0
    tallies: int = 0

    @property
    def rows(self) -> dict[str, int]:
        """Rows by table."""
        items = self.waiting + self.finished + self.dead + self.cancelled
        rest = {"names": self.names, "documents": self.documents, "tallies": self.tallies}
        return {"items": items, **rest}

    def __str__(self) -> str:
        said = [f"{number:,} {each.name}" for each, number in zip(fields(self), astuple(self), strict=True)]
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class SequenceState:
    """The highest item id, document version and epoch ever given: none of them may come again."""

    item: int
    version: int
    epoch: int


class CopyEndpoint(Protocol):
    """One of two stores, held so that nobody else changes it; it is as it was if the copy fails.

    Methods raise StoreUnavailable.
    """

    @property
    def place(self) -> str:
        """Where it is, without a password."""
        ...

    async def counts(self) -> CopyCounts:
        """Return what is in it."""
        ...

    async def counters(self) -> SequenceState:
        """Return how far its numbers went."""
        ...

    def rows(self, table: CopiedTable) -> AsyncIterator[Sequence[Row]]:
        """Return all rows in the order of the key, a page at a time."""
        ...

    async def load(self, table: CopiedTable, pages: AsyncIterator[Sequence[Row]]) -> None:
        """Add rows."""
        ...

    async def finish(self, counters: SequenceState) -> None:
        """Make the lanes, and go on counting from there."""
        ...


async def copy_store(source: CopyEndpoint, target: CopyEndpoint, tell: OnProgress) -> CopyCounts:
    """Copy all of it; ids, order, versions and dead letters stay what they are. Returns what was copied.

    `tell` hears table, rows so far and rows in all. Raises StoreUnavailable, and then the target is as it
    was: when it is not empty, when something does not fit, when it does not count the same in the end.
    """
    counts, there = await source.counts(), await target.counts()
    if there != CopyCounts():
        raise StoreUnavailable(f"{target.place}: is not empty ({there}): name an empty store to copy to.")
    for table in TABLES:
        await target.load(table, _told(source.rows(table), table, counts.rows[table.name], tell))
    await target.finish(await source.counters())
    arrived = await target.counts()
    if arrived != counts:
        raise StoreUnavailable(f"{target.place}: {arrived} arrived, of {counts}. Nothing was kept.")
    return counts


async def _told(
    pages: AsyncIterator[Sequence[Row]], table: CopiedTable, total: int, tell: OnProgress
) -> AsyncIterator[Sequence[Row]]:
    done = 0
    async for page in pages:
        yield page
        done += len(page)
        tell(table.name, done, total)


def parse_counts(rows: Iterable[Row]) -> CopyCounts:
    """Return the answer to COUNTS."""
    (row,) = rows
    return CopyCounts(*row)
