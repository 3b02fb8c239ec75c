"""Copies of what the real code wrote, as if other people had said the same: rows with new keys, in SQL.

All text of a row is copied with the other people's names in it, and the numbers under which a row is found
are those of the new names. What the engine keeps besides, such as indexes, it keeps by itself.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from benchmarks.kit.arrivals import SEEDED, copy_name, person_name
from parley.core.ports.subjects import subject_number

_SLICE = 500
"""Copies in one transaction."""
_SUBJECTS = "subjects"
_MARKED = copy_name(0)


class Engine(Protocol):
    """How the two engines differ. Statements have `?` for values."""

    @property
    def tables(self) -> Sequence[str]:
        """Return the tables whose rows belong to people."""
        ...

    @property
    def subjects_as_text(self) -> str:
        """Return how a statement reads the subjects of a first row."""
        ...

    @property
    def subjects_from_text(self) -> str:
        """Return how a statement writes those of a copy."""
        ...

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        """Run a statement."""
        ...

    def insert(self, table: str, rows: Iterator[tuple[object, ...]]) -> None:
        """Add rows to a table."""
        ...

    def columns(self, table: str) -> Sequence[tuple[str, bool]]:
        """Return names of the columns that can be written, and whether each is of text."""
        ...

    def about(self, subject: int) -> str:
        """Return how a row that is about one subject has it, as text."""
        ...

    def commit(self) -> None:
        """Keep what was done."""
        ...

    def index(self) -> None:
        """Index copies that the engine does not index by itself."""
        ...


def multiply(engine: Engine, conversations: int, say: Callable[[int], None] = lambda _: None) -> None:
    """Make a store of SEEDED conversations one of so many. Raises ValueError where they are no multiple."""
    copies, rest = divmod(conversations, SEEDED)
    if rest or copies < 1:
        raise ValueError(f"{conversations} is not a multiple of {SEEDED}")
    engine.execute("CREATE TEMPORARY TABLE copies (copy bigint PRIMARY KEY, name text NOT NULL)")
    engine.execute(
        "CREATE TEMPORARY TABLE renamed (copy bigint, was text, becomes text, PRIMARY KEY (copy, was))"
    )
    engine.insert("copies", ((copy, copy_name(copy)) for copy in range(1, copies)))
    engine.insert("renamed", _renamed(engine, copies))
    for table in engine.tables:
        engine.execute(f"CREATE TEMPORARY TABLE first_{table} AS SELECT * FROM {table} WHERE {_of(table)}")
    statements = [copy_statement(engine, table) for table in engine.tables]
    for first in range(1, copies, _SLICE):
        for statement in statements:
            engine.execute(statement, (first, min(first + _SLICE, copies)))
        engine.commit()
        say(min(first + _SLICE, copies) * SEEDED)
    engine.index()
    engine.commit()


def _renamed(engine: Engine, copies: int) -> Iterator[tuple[object, ...]]:
    first = [subject_number(f"null:{person_name(number)}") for number in range(SEEDED)]
    for copy in range(1, copies):
        for number, was in enumerate(first):
            becomes = subject_number(f"null:{person_name(copy * SEEDED + number)}")
            yield copy, engine.about(was), engine.about(becomes)


_KEYS = {
    "lanes": ("lane",),
    "items": ("lane", "body"),
    "ended_items": ("lane", "body"),
    "names": ("name",),
    "dated_names": ("name",),
    "documents": ("key", "body"),
    "tallies": ("name",),
}


def _of(table: str) -> str:
    """Return which rows belong to somebody."""
    return " OR ".join(f"{column} LIKE '%{_MARKED}%'" for column in _KEYS[table])


def copy_statement(engine: Engine, table: str) -> str:
    """Return what copies a table's first rows for the copies from one number to another."""
    columns = engine.columns(table)
    values = [_value(engine, table, name, is_text=is_text) for name, is_text in columns]
    renamed = ""
    if any(name == _SUBJECTS for name, _ in columns):
        was = engine.subjects_as_text
        renamed = f"LEFT JOIN renamed r ON r.copy = c.copy AND r.was = {was}"
    order = " ORDER BY c.copy, f.id" if table.endswith("items") else ""  # ids grow in the order of a lane
    return (
        f"INSERT INTO {table} ({', '.join(name for name, _ in columns)}) SELECT {', '.join(values)}"
        f" FROM copies c CROSS JOIN first_{table} f {renamed} WHERE c.copy >= ? AND c.copy < ?{order}"
    )


def _value(engine: Engine, table: str, column: str, *, is_text: bool) -> str:
    replaced = f"replace(f.{column}, '{_MARKED}', c.name)"
    if column == _SUBJECTS:
        return f"CASE WHEN r.was IS NULL THEN f.{_SUBJECTS} ELSE {engine.subjects_from_text} END"
    if (table, column) == ("ended_items", "id"):
        return "nextval('items_id_seq')"
    if column == "bucket":  # of the lane that a name came with, which nobody knows any more
        return "NULL"
    if column == "ended_at":  # as of things that ended one after the other
        return f"f.{column} - c.copy * 0.001"
    if (table, column) == ("documents", "key"):  # a record of something has no name in its key
        return f"CASE WHEN f.key = {replaced} THEN f.key || c.name ELSE {replaced} END"
    return replaced if is_text else f"f.{column}"


@dataclass(frozen=True, slots=True)
class SqliteEngine:
    """A file; it is lost where the machine stops meanwhile."""

    connection: sqlite3.Connection
    tables: Sequence[str] = ("lanes", "items", "names", "documents", "tallies")
    subjects_as_text: str = "f.subjects"
    subjects_from_text: str = "r.becomes"

    @classmethod
    def open(cls, path: str) -> SqliteEngine:
        """Open a file that nobody uses."""
        connection = sqlite3.connect(path)
        for setting in ("synchronous = OFF", "cache_size = -400000", "temp_store = MEMORY"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute("PRAGMA wal_autocheckpoint = 20000")
        return cls(connection)

    def execute(self, statement: str, values: Sequence[object] = ()) -> None:
        self.connection.execute(statement, values)

    def insert(self, table: str, rows: Iterator[tuple[object, ...]]) -> None:
        for row in rows:
            self.connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def columns(self, table: str) -> Sequence[tuple[str, bool]]:
        found = self.connection.execute(f"PRAGMA table_info({table})")
        return [
            (name, kind == "TEXT")
            for _, name, kind, _, _, key in found
            if not (key and kind == "INTEGER")  # a row's number is the file's own
        ]

    def about(self, subject: int) -> str:
        return f"[{subject}]"

    def commit(self) -> None:
        self.connection.commit()

    def index(self) -> None:
        pass  # by triggers
