"""Everything about a person over HTTP: behind the console's own checks."""

from __future__ import annotations

import io
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from parley.console.api.privacy import privacy_routes
from parley.console.http.options import ConsoleOptions
from parley.core.privacy.service import PrivacyService
from parley.core.state.conversations import ConversationRepository
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import serving
from tests.kit.samples.person_history import AWAY, ThreadShelf, live, sources, traces

PATH = "/api/person"
TOKEN = "a-long-enough-token"
ANN, SECOND = "test:ann-4711", "test:second-4711"


@asynccontextmanager
async def console(folder: Path, *, away: bool = False) -> AsyncIterator[httpx.AsyncClient]:
    shelf = ThreadShelf(await live(folder), AWAY if away else None)
    async with SqliteStore.open(folder / "parley.db") as store:
        desk = PrivacyService(sources(store, folder, await ConversationRepository.open(store), threads=shelf))
        options = ConsoleOptions(port=0, token=TOKEN)
        async with serving(options, privacy_routes(desk, folder / "files")) as http:
            yield http


async def test_a_person_is_looked_up_exported_and_erased(tmp_path: Path) -> None:
    async with console(tmp_path) as http:
        who = (await http.get(PATH, params={"person": SECOND})).json()
        assert (who["person"], set(who["accounts"])) == (ANN, {ANN, SECOND})
        answer = await http.get(f"{PATH}/export", params={"person": ANN})
        assert answer.headers["content-type"] == "application/zip"
        with ZipFile(io.BytesIO(answer.content)) as archive:
            assert "a zebra" in archive.read("messages.jsonl").decode()
        body = {"person": ANN, "accounts": who["accounts"]}
        erased = (await http.post(f"{PATH}/erase", json=body)).json()
        assert erased["done"]["messages and turns"] == 8
        assert erased["unfinished"] is False
        assert erased["receipt"].startswith("Parley: what was erased of test:ann-4711")
    assert not list((tmp_path / "files").glob("export-*"))
    assert traces(tmp_path) == []


async def test_only_the_accounts_that_were_shown_are_erased(tmp_path: Path) -> None:
    async with console(tmp_path) as http:
        refused = await http.post(f"{PATH}/erase", json={"person": ANN, "accounts": [ANN]})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "other_accounts")
        assert SECOND in refused.json()["error"]["text"]
    assert traces(tmp_path)


async def test_an_erasure_that_is_not_whole_says_so(tmp_path: Path) -> None:
    async with console(tmp_path, away=True) as http:
        body = {"person": ANN, "accounts": [ANN, SECOND]}
        assert (await http.post(f"{PATH}/erase", json=body)).json()["unfinished"] is True


@pytest.mark.parametrize("name", ["", "nobody", "a:b:c", ":"])
async def test_what_is_no_account_is_refused(tmp_path: Path, name: str) -> None:
    async with console(tmp_path) as http:
        for path in (PATH, f"{PATH}/export"):
            assert (await http.get(path, params={"person": name})).status_code == 422
        body = {"person": name, "accounts": []}
        assert (await http.post(f"{PATH}/erase", json=body)).status_code == 422
        assert not list((tmp_path / "files").glob("export-*"))


async def test_only_whoever_may_use_the_console_may_use_it(tmp_path: Path) -> None:
    async with console(tmp_path) as http:
        del http.headers["authorization"]
        body = {"person": ANN, "accounts": [ANN, SECOND]}
        assert (await http.get(PATH, params={"person": ANN})).status_code == 401
        assert (await http.get(f"{PATH}/export", params={"person": ANN})).status_code == 401
        assert (await http.post(f"{PATH}/erase", json=body)).status_code == 401
        foreign = {"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}
        assert (await http.post(f"{PATH}/erase", json=body, headers=foreign)).status_code == 403
    assert traces(tmp_path)
    shutil.rmtree(tmp_path)
