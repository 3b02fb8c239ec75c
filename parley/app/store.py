"""Opening the store that the configuration names."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Protocol

from parley.app.extras import wanted
from parley.app.places import DATABASE
from parley.app.settings.load import Loaded
from parley.core.errors import StoreUnavailable
from parley.core.ports import Documents, Item
from parley.store.copy import Side
from parley.store.interface import Store
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.copying import sqlite_side
from parley.store.sqlite.lock import owned
from parley.store.sqlite.look import looking

_PATIENCE = 10.0
"""Seconds that one operation of a server may take."""


class Peek(Documents, Protocol):
    """Documents and waiting work, beside a Parley that may be running. Raises StoreUnavailable."""

    async def waiting(self, queue: str, lane: str) -> tuple[Item, ...]:
        """Unfinished items of a lane, in order."""
        ...


def open_store(loaded: Loaded, clock: Callable[[], float] = time.time) -> AbstractAsyncContextManager[Store]:
    """To work with; on PostgreSQL the server's clock counts. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        return SqliteStore.open(database(loaded), clock=clock, retention=loaded.settings.retention.of_store())
    return _open_postgres(loaded)


def in_use(loaded: Loaded) -> AbstractContextManager[None]:
    """Hold the data folder against a restore, together with other nodes; SQLite's file is held by its store.

    Raises StoreUnavailable, OSError.
    """
    if loaded.settings.store.embedded:
        return nullcontext()
    loaded.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    return owned(loaded.data_dir / DATABASE, exclusive=False)


@asynccontextmanager
async def peek(loaded: Loaded) -> AsyncIterator[Peek]:
    """To look into; a running Parley is not disturbed. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        async with looking(database(loaded)) as look:
            yield look
    else:
        async with _open_postgres(loaded) as store:
            yield store


def copy_side(loaded: Loaded, *, new: bool) -> AbstractAsyncContextManager[Side]:
    """To copy from, or, `new`, to copy to. Raises StoreUnavailable, ConfigError."""
    if loaded.settings.store.embedded:
        return sqlite_side(database(loaded), new=new)
    side: AbstractAsyncContextManager[Side] = _postgres().postgres_side(loaded.settings.store.url)
    return side


def database(loaded: Loaded) -> Path:
    """SQLite's file; a relative path begins at the configuration's folder."""
    named = loaded.settings.store.file
    return loaded.folder / Path(named).expanduser() if named else loaded.data_dir / DATABASE


def is_new(loaded: Loaded) -> bool:
    """Whether there is no database yet: nothing was ever stored. One on a server is always there."""
    return loaded.settings.store.embedded and not database(loaded).exists()


def shown(loaded: Loaded) -> str:
    """Where the store is, without user and password. Raises StoreUnavailable for what is no address."""
    if loaded.settings.store.embedded:
        return str(database(loaded))
    place: str = _postgres().place_of(loaded.settings.store.url)
    return place


async def trouble(loaded: Loaded) -> str:
    """What keeps a store on a server from being opened; "" when nothing does. Nothing is changed there."""
    if loaded.settings.store.embedded:
        return ""
    try:
        await _postgres().checked(loaded.settings.store.url)
    except StoreUnavailable as error:
        return error.user_text
    return ""


def _open_postgres(loaded: Loaded) -> AbstractAsyncContextManager[Store]:
    section = loaded.settings.store
    opened: AbstractAsyncContextManager[Store] = _postgres().PostgresStore.open(
        section.url,
        listen_url=section.listen_url,
        lease=section.lease,
        # A sign of life that takes as long as the lease is none.
        timeout=min(_PATIENCE, section.lease * 2 / 3),
        node=node_name(section.node),
        retention=loaded.settings.retention.of_store(),
    )
    return opened


def node_name(chosen: str) -> str:
    """A name that no other process has, nor had: whoever died keeps theirs until their lease is over."""
    return f"{chosen or f'{socket.gethostname()}-{os.getpid()}'}-{secrets.token_hex(2)}"


def _postgres() -> ModuleType:
    with wanted("postgres", "store.url"):
        import parley.store.postgres as postgres
    return postgres
