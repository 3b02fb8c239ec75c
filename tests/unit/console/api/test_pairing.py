"""Letting people in over HTTP: behind the console's own checks, and as strict as in a chat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from parley.console.api.pairing import pairing_routes
from parley.console.http.options import ConsoleOptions
from parley.core.model.address import User
from parley.core.model.codec import encode
from parley.core.model.types import Json
from parley.core.ports.journal import Document
from parley.core.state.paired_accounts import PAIRED_PREFIX, PairedAccount
from parley.core.state.pairing import Pairing
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import serving

PATH = "/api/pairing"
TOKEN = "a-long-enough-token"
EVE = User("test", "e:1", "Eve")


@asynccontextmanager
async def console(folder: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Pairing]]:
    async with SqliteStore.open(folder / "parley.db") as store:
        pairing = Pairing(store, lambda: 1000.0)
        options = ConsoleOptions(port=0, token=TOKEN)
        async with serving(options, pairing_routes(pairing)) as http:
            yield http, pairing


async def test_a_code_is_approved_listed_and_taken_back(tmp_path: Path) -> None:
    async with console(tmp_path) as (http, pairing):
        code = await pairing.ask(EVE)
        asked = (await http.get(PATH)).json()
        assert asked["paired"] == []
        assert [(each["account"], each["until"]) for each in asked["requests"]] == [("test:e%3A1", 1600.0)]
        approved = await http.post(PATH, json={"code": f" {code} "})
        assert approved.json() == {"account": "test:e%3A1", "name": "Eve", "by": "console", "at": 1000.0}
        listed = await http.get(PATH)
        assert (listed.json()["paired"], listed.json()["requests"]) == ([approved.json()], [])
        assert str(code) not in listed.text
        gone = await http.delete(PATH, params={"account": "test:e%3A1"})
        again = await http.delete(PATH, params={"account": "test:e%3A1"})
        used = await http.post(PATH, json={"code": code})
        assert (gone.status_code, again.status_code, used.status_code) == (204, 404, 404)
        assert "test:e%3A1" not in pairing


async def test_accounts_come_a_page_at_a_time(tmp_path: Path) -> None:
    """And a page reads no more of them than there are on it."""
    async with SqliteStore.open(tmp_path / "parley.db") as store:
        named = [f"test:{number:04}" for number in range(1_203)]
        for account in named:
            body = encode(PairedAccount(account, "", "console", 1.0, ""))
            await store.set(Document(f"{PAIRED_PREFIX}{account}", body, 0))
        counted = CountedDocuments(store)
        pairing = Pairing(counted, lambda: 1000.0)
        await pairing.ask(EVE)
        async with serving(ConsoleOptions(port=0, token=TOKEN), pairing_routes(pairing)) as http:
            query, seen, asking = {"limit": "500"}, [], []
            while query:
                counted.listed = 0
                page = (await http.get(PATH, params=query)).json()
                assert counted.listed <= 1_001
                seen += [each["account"] for each in page["paired"]]
                asking.append(len(page["requests"]))
                query = {"limit": "500", "after": page["after"]} if page["after"] else {}
            assert (seen, asking) == (named, [1, 0, 0])
            for wrong in ({"limit": "0"}, {"limit": "1001"}, {"after": "a\nb"}, {"after": "a" * 1_001}):
                assert (await http.get(PATH, params=wrong)).status_code == 422


class CountedDocuments:
    """Documents of a store, and how many were listed."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.listed = 0

    async def get(self, key: str) -> Document:
        return await self._store.get(key)

    async def set(self, document: Document) -> Document:
        return await self._store.set(document)

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        found = await self._store.list(prefix, limit, after)
        self.listed += len(found)
        return found

    async def delete(self, key: str) -> None:
        await self._store.delete(key)


async def test_what_is_no_code_is_refused(tmp_path: Path) -> None:
    async with console(tmp_path) as (http, _):
        assert (await http.post(PATH, json={"code": "ABCD2345"})).status_code == 404
        bodies: tuple[Json, ...] = (
            {},
            {"code": ""},
            {"code": 7},
            {"code": "A", "more": 1},
            [],
            "A",
            {"code": "A" * 101},
        )
        for body in bodies:
            assert (await http.post(PATH, json=body)).status_code == 422
        assert (await http.post(PATH, content="code=A")).status_code == 415
        assert (await http.post(PATH, json={"code": "A" * 100_000})).status_code == 413
        assert (await http.delete(PATH)).status_code == 404


async def test_only_whoever_may_use_the_console_may_use_it(tmp_path: Path) -> None:
    async with console(tmp_path) as (http, pairing):
        del http.headers["authorization"]
        code = await pairing.ask(EVE)
        assert (await http.get(PATH)).status_code == 401
        assert (await http.post(PATH, json={"code": code})).status_code == 401
        bearer = {"authorization": f"Bearer {TOKEN}"}
        foreign = bearer | {"origin": "https://evil.example"}
        assert (await http.post(PATH, json={"code": code}, headers=foreign)).status_code == 403
        assert "test:e%3A1" not in pairing
        assert (await http.post(PATH, json={"code": code}, headers=bearer)).status_code == 200
