"""The console's view of the real memory: whose it is, what is refused before it is touched, what stays."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from parley.app.composition.build import Parley, build_parley
from parley.app.composition.memory import page_person
from parley.app.settings.load import read_settings
from parley.core.model.errors import MemoryFailed
from parley.core.state.people import PersonRepository
from parley.memory.admin import MemoryAdmin
from parley.memory.learning.extraction.diff import Diff
from parley.memory.learning.extraction.extractor import Extractor, FactSearch
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.learning.extraction.turn_filter import LearnableTurns
from parley.memory.model.document import MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import TOKEN, bearer
from tests.kit.doubles.llm_provider import turn, until
from tests.kit.samples.memories import failed_turns

SECRET = "sk-very-secret-4711"
# Nobody answers there: Parley starts all the same.
SETTINGS = f"""
agent: {{url: 'http://127.0.0.1:9'}}
console: {{token: {TOKEN}}}
memory: {{model_name: 'openai:any', model_api_key: {SECRET}, base_url: 'http://me:{SECRET}@127.0.0.1:9/v1'}}
"""


@asynccontextmanager
async def asked(parley: Parley) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(parley.server.app)
    address = "http://127.0.0.1:8321"
    async with httpx.AsyncClient(transport=transport, base_url=address, headers=bearer(TOKEN)) as http:
        yield http


@pytest_asyncio.fixture
async def parley(tmp_path: Path) -> AsyncIterator[Parley]:
    async with build_parley(read_settings(SETTINGS, "config.yaml", {}, tmp_path)) as parley:
        yield parley


def facts(answer: httpx.Response) -> list[tuple[str, str, float]]:
    assert answer.status_code == 200, answer.text
    return [(each["content"], each["category"], each["confidence"]) for each in answer.json()["facts"]]


async def test_a_fact_lives_from_its_creation_to_its_end(parley: Parley) -> None:
    async with asked(parley) as http:
        body = {"content": "Prefers tea", "category": "preference", "confidence": 0.8}
        created = await http.post("/api/memory/facts", json=body)
        assert facts(created) == [("Prefers tea", "preference", 0.8)]
        place = created.headers["location"]
        assert facts(await http.patch(place, json={"content": "Prefers green tea"})) == [
            ("Prefers green tea", "preference", 0.8)
        ]
        assert facts(await http.delete(place)) == []
        assert (await http.delete(place)).status_code == 404
        assert (await http.patch(place, json={"confidence": 0.5})).status_code == 404


@pytest.mark.parametrize("again", ["prefers  TEA.", "Ｐrefers tea"])
async def test_the_same_in_another_dress_is_known_and_nothing_changes(parley: Parley, again: str) -> None:
    async with asked(parley) as http:
        await http.post("/api/memory/facts", json={"content": "Prefers tea", "confidence": 0.8})
        await http.post("/api/memory/facts", json={"content": "Lives in Rome"})
        before = (await http.get("/api/memory")).json()
        nobody = await http.patch("/api/memory/facts/fact_9", json={"content": again})
        assert nobody.status_code == 404
        assert (await http.post("/api/memory/facts", json={"content": again})).status_code == 409
        rome = before["facts"][1]["id"]
        assert (await http.patch(f"/api/memory/facts/{rome}", json={"content": again})).status_code == 409
        assert (await http.get("/api/memory")).json() == before


async def test_a_fact_may_be_written_in_another_case_than_it_was(parley: Parley) -> None:
    async with asked(parley) as http:
        place = (await http.post("/api/memory/facts", json={"content": "prefers tea"})).headers["location"]
        assert facts(await http.patch(place, json={"content": "Prefers tea"}))[0][0] == "Prefers tea"


async def test_what_is_exported_comes_back_after_everything_was_cleared(parley: Parley) -> None:
    async with asked(parley) as http:
        await http.post("/api/memory/facts", json={"content": "喜欢茶"})
        exported = (await http.get("/api/memory/export")).json()
        assert facts(await http.delete("/api/memory")) == []
        assert (await http.post("/api/memory/import", json=exported)).json()["facts"] == exported["facts"]
        broken = await http.post("/api/memory/import", json={"facts": [{"id": "fact_1"}]})
        assert broken.status_code == 422
        assert facts(await http.get("/api/memory")) == [("喜欢茶", "context", 1.0)]


async def test_no_answer_holds_a_key_an_address_or_a_path(parley: Parley, tmp_path: Path) -> None:
    async with asked(parley) as http:
        for path in ("/config", "/status", "", "/people", "/export", "/dead-letters"):
            answer = await http.get(f"/api/memory{path}")
            assert answer.status_code == 200
            for hidden in (SECRET, "127.0.0.1:9", str(tmp_path)):
                assert hidden not in answer.text


async def test_a_file_changed_by_hand_is_read_anew(parley: Parley, tmp_path: Path) -> None:
    async with asked(parley) as http:
        await http.post("/api/memory/facts", json={"content": "Prefers tea"})
        await asyncio.to_thread(rewrite, tmp_path, "tea", "coffee")
        assert facts(await http.post("/api/memory/reload"))[0][0] == "Prefers coffee"


def rewrite(folder: Path, old: str, new: str) -> None:
    (path,) = folder.rglob("memory.json")
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@dataclass(frozen=True)
class View:
    """What the console sees, and what it sees."""

    memory: MemoryAdmin
    service: MemoryService
    people: PersonRepository


@asynccontextmanager
async def view(folder: Path, extractor: Extractor, secret: str = "") -> AsyncIterator[View]:
    """The view of a memory that learns at once."""
    options = MemoryOptions(debounce_seconds=0.0, tries=1)
    async with SqliteStore.open(folder / "parley.db") as journal:
        files = FileMemoryStore(folder / "memory")
        service = MemoryService(files, journal, extractor, options, secrets=("", secret))
        async with service.running():
            people = PersonRepository(journal, lambda: 0.0)
            yield View(service.admin, service, people)


class Refusing(RuleExtractor):
    """Fails as a provider does that repeats the key it was given, until it is told to be good."""

    good = False

    async def extract(
        self, material: LearnableTurns, document: MemoryDocument, index: FactSearch, now: float
    ) -> Diff:
        if not self.good:
            raise MemoryFailed(f"The model failed: 401, invalid key {SECRET}")
        return await super().extract(material, document, index, now)


async def test_a_turn_that_was_given_up_is_seen_without_the_key_and_learned_after_all(tmp_path: Path) -> None:
    extractor = Refusing()
    async with view(tmp_path, extractor, SECRET) as seen:
        memory = seen.memory
        await seen.service.record(turn(1, "I live in Rome."))
        await until(lambda: failed_turns(memory))
        (letter,) = await failed_turns(memory)
        assert letter.person == "ann"
        assert "invalid key ***" in letter.reason
        assert "invalid key ***" in (await memory.health()).last_error
        assert (await memory.health()).dead == 1
        extractor.good = True
        assert await memory.retry(letter.item)
        assert not await memory.retry(letter.item + 1000)

        async def learned() -> bool:
            return "Rome" in await memory.export("ann")

        await until(learned)
        assert await failed_turns(memory) == []


async def test_the_page_is_whoever_its_account_was_linked_to(tmp_path: Path) -> None:
    async with view(tmp_path, RuleExtractor()) as seen:
        assert await page_person(seen.people) == "web:local"
        await seen.people.join("web:local", "telegram:7")
        assert await page_person(seen.people) == "telegram:7"


async def test_the_page_hears_of_a_change_that_was_made_over_the_api(tmp_path: Path) -> None:
    settings = read_settings(SETTINGS.replace("{token:", "{port: 0, token:"), "config.yaml", {}, tmp_path)
    async with build_parley(settings) as parley:
        url: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        serving = asyncio.create_task(parley.server.run(url.set_result))
        heard: set[str] = set()
        async with httpx.AsyncClient(base_url=await url, headers=bearer(TOKEN)) as http:

            async def listen() -> None:
                async with http.stream("GET", "/api/chat/events", timeout=None) as events:
                    async for line in events.aiter_lines():
                        heard.add(line)

            listening = asyncio.create_task(listen())
            await until(lambda: "event: reset" in heard)
            await http.post("/api/memory/facts", json={"content": "Prefers tea"})
            await until(lambda: "event: memory" in heard)
            listening.cancel()
        serving.cancel()
        await asyncio.wait([listening, serving])
