"""A PostgreSQL of the benchmark's own, with fsync on; needs Debian's "postgresql"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks.kit.node_processes import Use
from benchmarks.kit.postgres_cluster import binaries, running
from benchmarks.kit.stats import cpu_seconds_of


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """The superuser's address of the database."""
        return self._url("bench")

    def fresh(self, name: str) -> str:
        """Make another database; its address."""
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://postgres:secret@127.0.0.1:{self.port}/{database}"

    def cpu_seconds(self) -> float:
        """CPU time of all its processes, those that ended included. Raises OSError where it has ended."""
        postmaster = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        living = Path(f"/proc/{postmaster}/task/{postmaster}/children")
        while True:
            children = living.read_text().split()
            with suppress(FileNotFoundError, ProcessLookupError):  # one ends while the others are counted
                used = sum(cpu_seconds_of(int(child)) for child in children)
                return used + cpu_seconds_of(postmaster, ended=True)

    def use(self, url: str) -> Use:
        """Return CPU and log of the whole server, and the transactions of the database at `url`, so far."""
        name = url.rpartition("/")[2]
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            row = connection.execute(
                "SELECT xact_commit + xact_rollback, pg_current_wal_insert_lsn() - '0/0'"
                " FROM pg_stat_database WHERE datname = %s",
                (name,),
            ).fetchone()
        assert row is not None
        return Use(self.cpu_seconds(), int(row[0]), int(row[1]))

    def copy(self, source: str, name: str) -> str:
        """Make another database with all that is in `source`, which nobody uses; its address."""
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {source}".encode())
        return self._url(name)

    def drop(self, url: str) -> None:
        """Remove a database."""
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)".encode())

    def program(self, name: str) -> str:
        """One of the server's programs."""
        return str(binaries() / name)


@contextmanager
def server() -> Iterator[Server]:
    """A fresh one, ended and removed on leaving."""
    with running() as cluster:
        made = Server(cluster.folder, cluster.port)
        made.fresh("bench")
        yield made
