"""Opening the store that the configuration names."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from parley.app.extras import require_extra
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import DATABASE
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import DocumentRepository, QueueItem
from parley.store.diagnosis import StoreProbe, StoreStatistics
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.database.file_lock import lock_database
from parley.store.sqlite.diagnosis import probe_sqlite, sqlite_statistics, sqlite_waiting
from parley.store.sqlite.read_only import open_read_only

if TYPE_CHECKING:
    from parley.store.store_copy import CopyEndpoint

_PATIENCE = 10.0
"""Seconds that one operation of a server may take."""


class ReadOnlyStore(DocumentRepository, Protocol):
    """Documents and waiting work, beside a Parley that may be running. Raises StoreUnavailable."""

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        """Return unfinished items of a lane, in order."""
        ...

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        """Return the newest items below an id, finished or not: id, queue and lane."""
        ...


def open_store(
    loaded: LoadedSettings, clock: Callable[[], float] = time.time, outage: StoreOutage | None = None
) -> AbstractAsyncContextManager[Store]:
    """Open it to work with; on PostgreSQL the server's clock counts. It tells the `outage` when it is away.

    Raises StoreUnavailable, ConfigError.
    """
    if loaded.settings.store.embedded:
        return SqliteStore.open(
            database_path(loaded),
            clock=clock,
            retention=loaded.settings.retention.of_store(),
            outage=outage,
        )
    return _open_postgres(loaded, outage)


def lock_data_folder(loaded: LoadedSettings) -> AbstractContextManager[None]:
    """Hold the data folder against a restore, together with other nodes; SQLite's file is held by its store.

    Raises StoreUnavailable, OSError.
    """
    if loaded.settings.store.embedded:
        return nullcontext()
    loaded.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return lock_database(loaded.data_dir / DATABASE, exclusive=False)


@asynccontextmanager
async def open_store_read_only(loaded: LoadedSettings) -> AsyncIterator[ReadOnlyStore]:
    """Open it to look into; a running Parley is not disturbed. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        async with open_read_only(database_path(loaded)) as look:
            yield look
    else:
        async with _open_postgres(loaded) as store:
            yield store


def open_copy_endpoint(loaded: LoadedSettings, *, new: bool) -> AbstractAsyncContextManager[CopyEndpoint]:
    """Open it to copy from, or, `new`, to copy to. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        from parley.store.sqlite.copy_endpoint import open_sqlite_endpoint

        return open_sqlite_endpoint(database_path(loaded), new=new)
    side: AbstractAsyncContextManager[CopyEndpoint] = _postgres().open_postgres_endpoint(
        loaded.settings.store.url
    )
    return side


def database_path(loaded: LoadedSettings) -> Path:
    """Return SQLite's file; a relative path begins at the configuration's folder."""
    named = loaded.settings.store.file
    return loaded.folder / Path(named).expanduser() if named else loaded.data_dir / DATABASE


def is_new_store(loaded: LoadedSettings) -> bool:
    """Return whether there is no database yet. One on a server is always there."""
    return loaded.settings.store.embedded and not database_path(loaded).exists()


def describe_store(loaded: LoadedSettings) -> str:
    """Return where the store is, without user and password.

    Raises StoreUnavailable for what is no address.
    """
    if loaded.settings.store.embedded:
        return str(database_path(loaded))
    place: str = _postgres().redacted_address(loaded.settings.store.url)
    return place


async def find_store_problem(loaded: LoadedSettings) -> str:
    """Return what keeps a store on a server from being opened; "" when nothing does.

    Nothing is changed there.
    """
    if loaded.settings.store.embedded:
        return ""
    try:
        await _postgres().check_database(loaded.settings.store.url)
    except StoreUnavailable as error:
        return error.user_text
    return ""


async def probe_store(loaded: LoadedSettings, clock: Callable[[], float] = time.time) -> StoreProbe:
    """Write a document, read it back and remove it; tables are neither made nor changed.

    Raises StoreUnavailable, ConfigError.
    """
    if loaded.settings.store.embedded:
        return await asyncio.to_thread(probe_sqlite, database_path(loaded))
    probe: StoreProbe = await _postgres().probe_postgres(loaded.settings.store.url, clock=clock)
    return probe


async def count_waiting_items(loaded: LoadedSettings) -> Mapping[str, int]:
    """Return how many items wait in each queue, beside a Parley that may be running.

    Raises StoreUnavailable, ConfigError.
    """
    if loaded.settings.store.embedded:
        return await asyncio.to_thread(sqlite_waiting, database_path(loaded))
    waiting: Mapping[str, int] = await _postgres().postgres_waiting(loaded.settings.store.url)
    return waiting


async def count_store(loaded: LoadedSettings) -> StoreStatistics:
    """Count what is kept, beside a Parley that may be running. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        return await asyncio.to_thread(sqlite_statistics, database_path(loaded))
    counted: StoreStatistics = await _postgres().postgres_statistics(loaded.settings.store.url)
    return counted


def _open_postgres(
    loaded: LoadedSettings, outage: StoreOutage | None = None
) -> AbstractAsyncContextManager[Store]:
    section = loaded.settings.store
    opened: AbstractAsyncContextManager[Store] = _postgres().PostgresStore.open(
        section.url,
        listen_url=section.listen_url,
        lease=section.lease,
        # A sign of life that takes as long as the lease is none.
        timeout=min(_PATIENCE, section.lease * 2 / 3),
        node=make_node_name(section.node),
        retention=loaded.settings.retention.of_store(),
        outage=outage,
    )
    return opened


def make_node_name(chosen: str) -> str:
    """Return a name that no other process has, nor had: whoever died keeps theirs until their lease ends."""
    return f"{chosen or f'{socket.gethostname()}-{os.getpid()}'}-{secrets.token_hex(2)}"


def _postgres() -> ModuleType:
    with require_extra("postgres", "store.url"):
        import parley.store.postgres as postgres
    return postgres
