"""Settings with an empty folder in the place of the data folder, so that a probe leaves nothing behind."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from parley.app.settings.load import LoadedSettings
from parley.store.sqlite import SqliteStore


@contextmanager
def scratch_settings(loaded: LoadedSettings) -> Iterator[LoadedSettings]:
    """Give the same settings with a data folder that is removed afterwards.

    An agent server in it takes no part in the work of those that share a database.
    """
    server = loaded.settings.agent_server.model_copy(update={"database": ""})
    settings = loaded.settings.model_copy(update={"agent_server": server})
    with tempfile.TemporaryDirectory(prefix="parley-check-") as folder:
        yield replace(loaded, settings=settings, data_dir=Path(folder))


@asynccontextmanager
async def scratch_store(loaded: LoadedSettings) -> AsyncIterator[tuple[LoadedSettings, SqliteStore]]:
    """Give such settings, and a store in that folder."""
    with scratch_settings(loaded) as elsewhere:
        async with SqliteStore.open(elsewhere.data_dir / "check.db") as store:
            yield elsewhere, store
