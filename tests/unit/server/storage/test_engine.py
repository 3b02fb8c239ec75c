"""Storage that is opened and closed; who does not use PostgreSQL pays nothing for it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from parley.server.options import EmbeddedOptions
from parley.server.storage.engine import open_storage
from parley.server.storage.store_index import no_index
from tests.unit.server.conftest import on_chosen_engine


def test_postgresqls_packages_are_imported_only_where_they_are_used() -> None:
    look = (
        "import sys, parley.server.app; print([n for n in sys.modules if 'psycopg' in n or 'postgres' in n])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_nothing_is_left_running_when_it_is_closed(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    options = on_chosen_engine(EmbeddedOptions(tmp_path / "agent.sqlite"))
    async with open_storage(options.database, options.postgres, no_index) as storage:
        await storage.items.aput(("notes",), "a", {"text": "tea"})
        kept = storage.items  # or its tasks would end as it is collected, at whatever moment that is
    assert asyncio.all_tasks() == before, kept
