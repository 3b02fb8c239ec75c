"""Opening the store that the configuration names."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from app.places import DATABASE
from app.settings.load import Loaded
from bridge.errors import ConfigError
from bridge.ports import Documents, Item
from store.interface import Store
from store.sqlite import SqliteStore
from store.sqlite.look import looking


class Peek(Documents, Protocol):
    """Documents and waiting work, beside a Parley that may be running. Raises StoreUnavailable."""

    async def waiting(self, queue: str, lane: str) -> tuple[Item, ...]:
        """Unfinished items of a lane, in order."""
        ...


def open_store(loaded: Loaded, clock: Callable[[], float] = time.time) -> AbstractAsyncContextManager[Store]:
    """To work with; on PostgreSQL the server's clock counts. Raises StoreUnavailable, ConfigError."""
    section = loaded.settings.store
    if section.embedded:
        return SqliteStore.open(loaded.data_dir / DATABASE, clock=clock)
    return _postgres(section.url)


@asynccontextmanager
async def peek(loaded: Loaded) -> AsyncIterator[Peek]:
    """To look into; a running Parley is not disturbed. Raises StoreUnavailable, ConfigError."""
    section = loaded.settings.store
    if section.embedded:
        async with looking(loaded.data_dir / DATABASE) as look:
            yield look
    else:
        async with _postgres(section.url) as store:
            yield store


def is_new(loaded: Loaded) -> bool:
    """Whether there is no database yet: nothing was ever stored. One on a server is always there."""
    return loaded.settings.store.embedded and not (loaded.data_dir / DATABASE).exists()


def _postgres(url: str) -> AbstractAsyncContextManager[Store]:
    try:
        from store.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError(
            'store.url: the driver is not installed; run: .venv/bin/python -m pip install "psycopg[binary]"'
        ) from error
    return PostgresStore.open(url)
