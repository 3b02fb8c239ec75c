"""Which engine the suites run on: `--engine sqlite` (the default) or `--engine postgres`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from tests.kit.stored_text import sqlite_rows

NAMES = ("sqlite", "postgres")


class Engine(Protocol):
    """A place for the state of what runs in a folder."""

    def open(self, folder: Path) -> AbstractAsyncContextManager[Store]:
        """The store of a process in this folder, the same one for every process there."""
        ...

    def section(self, folder: Path) -> dict[str, str]:
        """The `store` section of a configuration in this folder."""
        ...

    def rows(self, folder: Path) -> Iterator[str]:
        """Every row of the store of a process that runs in this folder, as text."""
        ...

    def lacks_vectors(self) -> str:
        """Why the agent server cannot find items by meaning here, "" where it can."""
        ...


class Sqlite:
    """A file in the folder."""

    def open(self, folder: Path) -> AbstractAsyncContextManager[Store]:
        return SqliteStore.open(folder / "parley.db")

    def section(self, folder: Path) -> dict[str, str]:
        return {}

    def rows(self, folder: Path) -> Iterator[str]:
        return sqlite_rows(folder / "data" / "parley.db")

    def lacks_vectors(self) -> str:
        from parley.server.storage.store_index import NO_VECTORS, takes_vectors

        return "" if takes_vectors() else NO_VECTORS


class Postgres:
    """A cluster of its own, started when it is first needed; a database for each folder."""

    def __init__(self, cleanup: ExitStack) -> None:
        self._cleanup = cleanup
        self._url_of: Callable[[str], str] | None = None
        self._made: set[str] = set()

    def open(self, folder: Path) -> AbstractAsyncContextManager[Store]:
        from parley.store.postgres import PostgresStore

        # Nobody says meanwhile that this node lives (PostgresNodeRegistry.keep_alive).
        return PostgresStore.open(self._url("parley"), schema=_name(folder), poll=0.05, lease=600.0)

    def section(self, folder: Path) -> dict[str, str]:
        return {"url": self._url(_name(folder))}

    def rows(self, folder: Path) -> Iterator[str]:
        from tests.kit.postgres_rows import postgres_rows

        return postgres_rows(self._url(_name(folder)))

    def lacks_vectors(self) -> str:
        import psycopg

        from parley.server.storage.postgres.items import AVAILABLE, NO_PGVECTOR

        with psycopg.connect(self._url("parley")) as connection:
            return "" if connection.execute(AVAILABLE.encode()).fetchone() else NO_PGVECTOR

    def _url(self, database: str) -> str:
        import psycopg

        from benchmarks.kit.postgres_cluster import running

        if self._url_of is None:
            cluster = self._cleanup.enter_context(running())
            self._url_of = lambda name: cluster.url_of("postgres", "secret", name)
        if database not in self._made:
            self._made.add(database)
            with psycopg.connect(self._url_of("postgres"), autocommit=True) as admin:
                admin.execute(f"CREATE DATABASE {database}".encode())
        return self._url_of(database)


@contextmanager
def opened(name: str) -> Iterator[Engine]:
    """The engine of this name; what is started for it is stopped in the end."""
    with ExitStack() as cleanup:
        yield Postgres(cleanup) if name == "postgres" else Sqlite()


class Chosen:
    """The engine of this test run."""

    def __init__(self) -> None:
        self._cleanup = ExitStack()
        self._engine: Engine = Sqlite()

    def choose(self, name: str) -> None:
        """From here on it is this one."""
        self._engine = self._cleanup.enter_context(opened(name))

    def engine(self) -> Engine:
        """The one that was chosen."""
        return self._engine

    def close(self) -> None:
        """Stop whatever was started for it."""
        self._cleanup.close()


CHOSEN = Chosen()


def _name(folder: Path) -> str:
    return "p" + sha256(str(folder).encode()).hexdigest()[:20]
