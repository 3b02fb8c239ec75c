"""Where something that was erased could still be: whatever is in databases and files, as text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path


def sqlite_rows(file: Path) -> Iterator[str]:
    """Every row of an SQLite file, as text with its table's name in front."""
    with closing(sqlite3.connect(file)) as connection:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in listed:
            for row in connection.execute(f"SELECT * FROM {table}"):
                yield f"{table}: {row}"


def file_texts(folder: Path) -> Iterator[str]:
    """What is in files that are no databases."""
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".db", ".db-wal", ".db-shm", ".lock"):
            yield f"{path}: {path.read_bytes().decode('utf-8', 'replace')}"
