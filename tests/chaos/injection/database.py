"""What is done to the database of several nodes, and to a pooler in front of it."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks.kit import postgres_cluster
from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres.database.schema import STEPS, migrate
from tests.kit.machine import patience
from tests.kit.small_disk import Disk
from tests.kit.store.pooler import Pooler, is_installed, pooler

_PATIENCE = patience(60.0)
_GROWING = ("items", "lanes", "documents", "names")
_NEWER = tuple(f"ALTER TABLE {table} ADD COLUMN chaos int NOT NULL DEFAULT 7" for table in _GROWING) + tuple(
    f"CREATE INDEX {table}_chaos ON {table} (chaos)" for table in _GROWING
)
_OLDER = tuple(f"ALTER TABLE parley.{table} DROP COLUMN chaos" for table in _GROWING)
# Little log, for the disk is small.
_SMALL = ("min_wal_size = '32MB'", "max_wal_size = '64MB'")


@dataclass(frozen=True, slots=True)
class FaultyDatabase:
    """A server; the disk that its data is on, and a pooler in front of it, where they are."""

    cluster: Cluster
    disk: Disk | None
    pooler: Pooler | None

    def can(self, shock: str) -> bool:
        """Return whether this can be done to it here."""
        return shock in self._faults()

    async def strike(self, shock: str, lasts: float) -> None:
        """Do this to it for so many seconds."""
        begin, end = self._faults()[shock]
        await asyncio.to_thread(begin)
        try:
            await asyncio.sleep(lasts)
        finally:
            await asyncio.to_thread(end)

    def _faults(self) -> Mapping[str, tuple[Callable[[], None], Callable[[], None]]]:
        """Return how each of them begins and ends."""
        faults = {
            "database": (self._crash, self.cluster.start),
            "read-only": (self._refuse_writes, self._allow_writes),
            "schema": (self._take_newer_schema, self._take_own_schema),
        }
        if self.disk is not None:
            faults["full"] = (self.disk.fill, self._make_room)
        if self.pooler is not None:
            faults["pooler"] = (self.pooler.stop, self.pooler.start)
        return faults

    def _crash(self) -> None:
        self.cluster.stop("immediate")

    def _refuse_writes(self) -> None:
        _set(self.cluster, "default_transaction_read_only = on")

    def _allow_writes(self) -> None:
        _set(self.cluster, "default_transaction_read_only = off")

    def _take_newer_schema(self) -> None:
        """Do what the start of a newer Parley does; one of this version that starts now is refused."""

        async def climb() -> None:
            async with await psycopg.AsyncConnection.connect(self.cluster.url, autocommit=True) as connection:
                await migrate(connection, "parley", (*STEPS, _NEWER))

        asyncio.run(climb())

    def _take_own_schema(self) -> None:
        statements = (*_OLDER, f"UPDATE parley.meta SET schema_version = {len(STEPS)}")
        with psycopg.connect(self.cluster.url, autocommit=True) as connection:
            while True:
                with suppress(psycopg.errors.DeadlockDetected), connection.transaction():
                    for statement in statements:
                        connection.execute(statement.encode())
                    return

    def _make_room(self) -> None:
        """Make room, and start the server again, which ends where it cannot write its log."""
        assert self.disk is not None
        self.disk.free()
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if not self.cluster.is_running():
                self.cluster.start()
            try:
                psycopg.connect(self.cluster.url).close()
            except psycopg.OperationalError:
                time.sleep(0.2)
            else:
                return
        raise AssertionError("the database did not come back")


@contextmanager
def faulty_database(*, mounting: bool) -> Iterator[FaultyDatabase]:
    """Open a database "parley" on a server of its own; `mounting`, on a disk of its own, too."""
    disks: list[Disk] = []

    def mount(folder: Path) -> None:
        disks.append(Disk.mount(folder))

    try:
        with postgres_cluster.running(*([mount] if mounting else [])) as cluster:
            url = cluster.url_of("postgres", "secret", "postgres")
            with psycopg.connect(url, autocommit=True) as admin:
                admin.execute("CREATE DATABASE parley")
            if disks:
                _set(cluster, *_SMALL)
            with pooler(cluster) if is_installed() else nullcontext() as front:
                yield FaultyDatabase(cluster, disks[0] if disks else None, front)
    finally:
        for disk in disks:
            subprocess.run(["umount", str(disk.folder)], check=True)
            shutil.rmtree(disk.folder.parent)


def _set(cluster: Cluster, *settings: str) -> None:
    url = cluster.url_of("postgres", "secret", "postgres")
    with psycopg.connect(url, autocommit=True, options="-c default_transaction_read_only=off") as admin:
        for setting in settings:
            admin.execute(f"ALTER SYSTEM SET {setting}".encode())
        admin.execute("SELECT pg_reload_conf()")
