"""A store as its settings name it: filled, and read again."""

from __future__ import annotations

from parley.app.settings.load import read_settings
from parley.app.storage.store import open_store
from parley.core.dead_letters import DeadLetter, DeadLetters
from parley.core.ports.journal import Document, NewQueueItem


async def fill(folder, store=""):
    async with open_store(read_settings(f"data_dir: here\n{store}", "config.yaml", {}, folder)) as opened:
        await opened.put(NewQueueItem("in", "x", "1", dedupe="m1"), NewQueueItem("in", "x", "2"))
        await opened.set(Document("k", "v", 0))


async def seen(folder, url):
    async with open_store(read_settings(f"store: {{url: '{url}'}}\n", "config.yaml", {}, folder)) as opened:
        return [item.body for item in await opened.waiting("in", "x")], (await opened.get("k")).body


async def given_up(letters: DeadLetters) -> tuple[DeadLetter, ...]:
    """Return the first page of dead letters."""
    return (await letters.page()).letters
