"""A byte that is wrong costs the text it stands in."""

import sqlite3
from contextlib import closing
from pathlib import Path

from parley.core.ports.journal import Document
from parley.store.sqlite import SqliteStore


async def test_a_text_that_is_no_text_any_more_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    async with SqliteStore.open(path) as store:
        for number in range(3):
            await store.set(Document(f"a/{number}", f"body {number}", 0))
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE documents SET body = CAST(X'626f6479ff32' AS TEXT) WHERE key = 'a/1'")
        other.commit()
    async with SqliteStore.open(path) as store:
        bodies = [document.body for document in await store.list("a/")]
        assert bodies == ["body 0", "body\N{REPLACEMENT CHARACTER}2", "body 2"]
        assert (await store.get("a/2")).body == "body 2"
        assert (await store.get("a/1")).body == bodies[1]
