"""Answers kept for quotes go with their time."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.ports.journal import Document
from parley.core.privacy import sent
from parley.core.privacy.sent import delete_old_sent
from parley.core.state.sent_messages import (
    MOST_SENT,
    SENT_LIFE,
    SENT_PREFIX,
    SentMessage,
    decode_sent,
    keep_sent,
    sent_document_key,
)
from parley.store.sqlite import SqliteStore

ANN = User("test", "ann", "Ann")
NOW = SENT_LIFE + 1000.0


async def keep(store: SqliteStore, chat: str, text: str, at: float) -> None:
    await keep_sent(store, Conversation("test", chat), SentMessage((text,), at, text, ANN))


async def texts(store: SqliteStore, chat: str) -> list[str]:
    document = await store.get(sent_document_key(Conversation("test", chat)))
    return [each.text for each in decode_sent(document)]


async def test_what_is_too_old_to_be_quoted_goes(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        # A long answer is kept later than a short one that was begun after it.
        await keep(store, "both", "young", NOW)
        await keep(store, "both", "old", 1.0)
        await keep(store, "over", "first", 1.0)
        await keep(store, "over", "second", 2.0)
        assert await delete_old_sent(store, NOW) == 3
        assert await texts(store, "both") == ["young"]
        assert [each.key for each in await store.list(SENT_PREFIX)] == [f"{SENT_PREFIX}test:both"]
        assert await delete_old_sent(store, NOW) == 0


async def test_many_that_stay_are_read_in_pages_beside_the_loop_and_not_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, threads, read = threading.get_ident(), set[int](), list[str]()
    got = SqliteStore.get

    def noted(document: Document) -> tuple[SentMessage, ...]:
        threads.add(threading.get_ident())
        return decode_sent(document)

    async def counted(store: SqliteStore, key: str) -> Document:
        read.append(key)
        return await got(store, key)

    async with SqliteStore.open(tmp_path / "parley.db") as store:
        await asyncio.gather(*[keep(store, f"chat {number}", "young", NOW) for number in range(450)])
        monkeypatch.setattr(sent, "decode_sent", noted)
        monkeypatch.setattr(SqliteStore, "get", counted)
        assert await delete_old_sent(store, NOW) == 0
    assert read == []
    assert threads
    assert loop not in threads


async def test_the_newest_are_kept_each_once(tmp_path: Path) -> None:
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        for number in range(MOST_SENT + 2):
            await keep(store, "one", str(number), NOW + number)
        await keep(store, "one", str(MOST_SENT), NOW + MOST_SENT)
        assert len(await texts(store, "one")) == MOST_SENT
        assert sorted(await texts(store, "one"), key=int) == [str(each) for each in range(2, MOST_SENT + 2)]
