"""`parley threads`: a page costs the same however many conversations there are, and `--all` has every one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from parley.app.cli.service.threads import read_newest
from parley.core.model.codec import encode
from parley.core.ports.journal import Document, NewQueueItem, QueueItem
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, ConversationRepository
from parley.store.sqlite import SqliteStore
from parley.store.sqlite.read_only import SqliteReadOnlyStore, open_read_only
from tests.kit.product.process import parley

MANY = 1_200


class Counted:
    """A look into a store that counts what is read of it."""

    def __init__(self, look: SqliteReadOnlyStore) -> None:
        self._look = look
        self.rows = 0

    async def get(self, key: str) -> Document:
        self.rows += 1
        return await self._look.get(key)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = await self._look.list(prefix, limit, after)
        self.rows += len(found)
        return found

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        self.rows += 1
        return await self._look.waiting(queue, lane)

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        return await self._look.lanes_before(item, limit)

    async def set(self, document: Document) -> Document:
        return await self._look.set(document)

    async def delete(self, key: str) -> None:
        await self._look.delete(key)


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A store of many conversations, in the last three of which something was said."""
    (tmp_path / "config.yaml").write_text("console: {port: 1}\n")
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "parley.db"
    async with SqliteStore.open(path) as store:
        await ConversationRepository.open(store)
        for number in (7, 3, 5, 5):
            await store.put(NewQueueItem("turns/web", f"web:{number:05}", "{}"))
        await store.put(NewQueueItem("turns/web", "web:forgotten", "{}"), NewQueueItem("memory", "ann", "{}"))
        for claim in await store.claim("turns/web", 4):
            if claim.lane != "web:00003":
                await store.done(claim, claim.items)
    with sqlite3.connect(path) as database:
        for number in range(MANY):
            record = encode(ConversationRecord(title=f"talk {number}", last_at=100.0 + number))
            database.execute(
                "INSERT INTO documents (key, body, version) VALUES (?, ?, 1)",
                (f"{CONVERSATION_PREFIX}web:{number:05}", record),
            )
    database.close()
    return tmp_path


async def test_a_page_reads_only_what_it_shows(folder: Path) -> None:
    async with open_read_only(folder / "data" / "parley.db") as look:
        counted = Counted(look)
        rows, more = await read_newest(counted, 2)
    assert ([row.key for row in rows], more) == (["web:00005", "web:00003"], True)
    assert [row.state for row in rows] == ["idle", "1 unfinished"]
    assert counted.rows < 20


async def test_without_enough_messages_all_are_looked_through(folder: Path) -> None:
    async with open_read_only(folder / "data" / "parley.db") as look:
        rows, more = await read_newest(look, 4)
    newest = [f"web:{number:05}" for number in range(MANY - 1, MANY - 5, -1)]
    assert ([row.key for row in rows], more) == (newest, True)


async def test_all_has_every_conversation_once(folder: Path) -> None:
    listed = parley(folder, "threads", "--all").stdout.splitlines()
    assert listed[0].split() == ["CONVERSATION", "THREAD", "STATE", "LAST", "TITLE"]
    assert [line.split()[0] for line in listed[1:]] == [f"web:{number:05}" for number in range(MANY)]


async def test_a_page_says_how_to_see_more(folder: Path) -> None:
    listed = parley(folder, "threads", "--limit", "2").stdout.splitlines()
    assert [line.split()[0] for line in listed[1:]] == ["web:00005", "web:00003", "..."]
    assert listed[-1] == "... and more: --limit 4, or --all by name"
