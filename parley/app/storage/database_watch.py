"""Ends a Parley whose database was moved, deleted or replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial

from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import AGENT_DATABASE
from parley.app.storage.store import database_path
from parley.core.model.errors import StoreMoved
from parley.store.opened_files import OpenedFiles

_EVERY = 2.0


def make_database_watch(loaded: LoadedSettings) -> Callable[[], Coroutine[None, None, None]]:
    """Return the watch over the databases of this process, which are open now."""
    settings = loaded.settings
    opened = [database_path(loaded)] if settings.store.embedded else []
    if settings.agent.embedded and not settings.agent_server.database:
        opened.append(loaded.data_dir / AGENT_DATABASE)
    paths = [path.with_name(path.name + tail) for path in opened for tail in ("", "-wal")]
    return partial(watch_databases, OpenedFiles(*paths))


async def watch_databases(files: OpenedFiles, every: float = _EVERY) -> None:
    """Look every two seconds until cancelled. Raises StoreMoved, in one line, once a file is gone."""
    while True:
        # Off the loop: a file system over the network may keep whoever looks waiting.
        if line := await asyncio.to_thread(files.trouble):
            raise StoreMoved(line)
        await asyncio.sleep(every)
