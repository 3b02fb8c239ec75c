"""Data of a Parley, of every kind that there is, and what is in it."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from parley.app.settings.load import read_settings
from parley.app.storage.store import open_store
from parley.core.ports.journal import Document, NewQueueItem
from parley.memory.storage.json_files import FileMemoryStore
from parley.server.storage.interface import Statement
from parley.server.storage.sqlite.database import open_database
from tests.unit.memory.storage.adding_child import remember

FILES = {
    "data/files/turn-1/1/poetry.lock": b"a file from a chat whose name ends as those of locks do",
    "data/channels/web/files/abc": b"\0" * 3000,
    "data/token": b"a-token-that-opens-the-console-of-this-parley\n",
    "data/memory-vectors/some.npz": b"vectors",
}
"""By their paths in the folder of `config.yaml`."""


def write_config(folder: Path, text: str = "") -> None:
    """Settings of a Parley in this folder that would serve on a free port."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(f"console: {{port: 0}}\n{text}")


def fill(folder: Path, text: str = "", word: str = "old") -> None:
    """Store a message that waits, a document, a thread of the agent, a memory and files."""
    asyncio.run(_fill(folder, text, word))
    for path, content in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(word.encode() + content)


async def _fill(folder: Path, text: str, word: str) -> None:
    async with open_store(read_settings(text, "config.yaml", {}, folder)) as store:
        await store.put(NewQueueItem("in", "x", f"{word} message", dedupe="m1"))
        await store.set(Document("k", word, 0))
    async with open_database(folder / "data" / "agent.db") as agent:
        await agent.write(
            Statement("INSERT INTO threads VALUES (?, 1, 1, 'idle', 'g', '{}', '{}', '')", [(word,)]),
            durable=True,
        )
    await remember(FileMemoryStore(folder / "data" / "memory"), f"Has the {word} cat")


async def stored(folder: Path, text: str = "") -> tuple[list[str], str]:
    """Messages that wait, and the document."""
    async with open_store(read_settings(text, "config.yaml", {}, folder)) as store:
        return [item.body for item in await store.waiting("in", "x")], (await store.get("k")).body


def remembered(folder: Path) -> str:
    """Return everything in the memories of a folder."""
    return "".join(path.read_text() for path in folder.rglob("memory.json"))


def threads(database: Path) -> list[str]:
    """Return the agent's threads."""
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT thread_id FROM threads")]


def word_of(folder: Path) -> str:
    """Return the word that all of the data has. Raises AssertionError where it is half of each."""
    messages, word = asyncio.run(stored(folder))
    assert messages == [f"{word} message"]
    assert threads(folder / "data" / "agent.db") == [word]
    memory = remembered(folder / "data" / "memory")
    assert f"Has the {word} cat" in memory
    for path, content in FILES.items():
        assert (folder / path).read_bytes() == word.encode() + content
    return word
