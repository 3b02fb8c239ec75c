"""A PostgreSQL of the benchmark's own, with fsync on; needs Debian's "postgresql"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

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
        """CPU time of all its processes, those that ended included."""
        postmaster = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        living = sum(cpu_seconds_of(int(child)) for child in children)
        return living + cpu_seconds_of(postmaster, ended=True)

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
