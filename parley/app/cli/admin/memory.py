"""`parley memory`: whose memories there are, and taking over those of another system."""

from __future__ import annotations

import argparse
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from parley.app.cli.load_config import load_config
from parley.app.composition.memory import file_store
from parley.app.process.event_loop import run_loop
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import open_store
from parley.core.model.errors import ConfigError
from parley.memory.migration.migrate import MigrationOptions, migrate
from parley.memory.model.timestamps import format_timestamp
from parley.memory.storage.port import MemoryStore
from parley.memory.storage.sql import SqlMemoryStore

_PAGE = 500


def run(arguments: argparse.Namespace) -> int:
    """Do what the first word says."""
    loaded = load_config(arguments.config, arguments.verbose, level="warning")
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


async def _people(loaded: LoadedSettings) -> None:
    async with _opened(loaded) as store:
        after = ""
        while page := await store.people_page(after, _PAGE):
            print(*page, sep="\n")
            after = page[-1]


async def _migrate(loaded: LoadedSettings, base: Path, arguments: argparse.Namespace) -> None:
    section = loaded.settings.memory
    wishes = MigrationOptions(
        now=format_timestamp(time.time()),
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
async def _opened(loaded: LoadedSettings) -> AsyncIterator[MemoryStore]:
    """Where memories are: files may be changed while Parley runs, its database may not."""
    loaded.data_dir.mkdir(parents=True, exist_ok=True)
    if not loaded.settings.memory_in_store:
        yield file_store(loaded)
        return
    async with open_store(loaded) as journal:
        yield SqlMemoryStore(journal)
