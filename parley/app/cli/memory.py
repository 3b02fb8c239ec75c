"""`parley memory`: whose memories there are, and taking over those of another system."""

from __future__ import annotations

import argparse
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from parley.app.cli.configured import configured
from parley.app.memory import file_store
from parley.app.runner import run_loop
from parley.app.settings.load import Loaded
from parley.app.store import open_store
from parley.core.errors import ConfigError
from parley.memory.migrate import Wishes, migrate
from parley.memory.storage import MemoryStore
from parley.memory.stored import DocumentStore
from parley.memory.times import iso


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    loaded = configured(arguments.config, arguments.verbose, level="warning")
    if arguments.what == "people":
        run_loop(_people(loaded))
        return 0
    base = Path(arguments.folder).expanduser()
    if not arguments.folder or not base.exists():
        raise ConfigError(
            f"parley memory migrate: there is no {base}; name the folder or file of the other system, "
            "such as .deer-flow"
        )
    run_loop(_migrate(loaded, base, arguments))
    return 0


async def _people(loaded: Loaded) -> None:
    async with _opened(loaded) as store:
        for person in await store.people():
            print(person)


async def _migrate(loaded: Loaded, base: Path, arguments: argparse.Namespace) -> None:
    section = loaded.settings.memory
    wishes = Wishes(
        now=iso(time.time()),
        most=section.max_facts,
        person=arguments.person,
        per_assistant=section.per_assistant,
        dry_run=arguments.dry_run,
        renamed=dict(pair.split("=", 1) for pair in arguments.rename if "=" in pair),
    )
    async with _opened(loaded) as store:
        report = await migrate(base, store, wishes)
    for line in report.lines():
        print(line)


@asynccontextmanager
async def _opened(loaded: Loaded) -> AsyncIterator[MemoryStore]:
    """Where memories are: files may be changed while Parley runs, its database may not."""
    loaded.data_dir.mkdir(parents=True, exist_ok=True)
    if not loaded.settings.memory_in_store:
        yield file_store(loaded)
        return
    async with open_store(loaded) as journal:
        yield DocumentStore(journal)
