"""Undo, import, export and what was told, over HTTP: the real memory behind the real console."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from parley.console.api.memory import memory_routes
from parley.console.api.memory_controls import MemoryInHand, memory_control_routes
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer
from parley.core.commands.memory.told import ToldMemoryReader
from parley.core.model.address import Conversation
from parley.core.model.options import ChannelOptions
from parley.core.model.types import SessionSettings
from parley.core.ports.memory.port import RecallQuery
from parley.core.state.conversations import ConversationRepository
from parley.core.state.people import PersonRepository
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.console_server import TOKEN, bearer
from tests.kit.doubles.llm_provider import NOON
from tests.kit.samples.memory_options import memory_options

OWN = "web:local"
CHAT = Conversation("web", "chat-0001")
KEY = "sk-ant-api03-" + "a1B2" * 24
MEM0 = json.dumps({"results": [{"memory": "Likes tea"}, {"memory": "Has a cat"}]})
CHATGPT = json.dumps([{"content": "Likes tea"}, {"content": "Old", "enabled": False}])


@dataclass
class Scene:
    """A client of the API, and the memory behind it."""

    http: httpx.AsyncClient
    memory: MemoryService
    conversations: ConversationRepository

    async def contents(self, person: str = OWN) -> list[str]:
        return sorted(fact.content for fact in (await self.memory.overview(person)).facts)


@asynccontextmanager
async def opened(folder: Path, options: MemoryOptions) -> AsyncIterator[Scene]:
    async with SqliteStore.open(folder / "db") as journal:
        memory = MemoryService(
            FileMemoryStore(folder / "memory"), journal, RuleExtractor(), options, lambda: NOON
        )
        people, conversations = (
            PersonRepository(journal, lambda: NOON),
            ConversationRepository(journal, uuid4()),
        )
        rules = {"web": ChannelOptions(SessionSettings("agent"))}
        told = ToldMemoryReader(conversations, people, memory.controls, rules)

        async def own() -> str:
            return OWN

        parts = MemoryInHand(memory, memory.controls, told.read_for)
        routes = [*memory_routes(memory.admin, own), *memory_control_routes(parts, own)]
        server = HttpServer(ConsoleOptions(token=TOKEN), routes, lambda: ())
        transport = httpx.ASGITransport(server.app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8321", headers=bearer(TOKEN)
        ) as http:
            yield Scene(http, memory, conversations)


@pytest_asyncio.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    async with opened(tmp_path, memory_options()) as scene:
        yield scene


@pytest.mark.parametrize("text", [MEM0, CHATGPT, "- Likes tea\n- Has a cat"])
async def test_a_preview_counts_and_changes_nothing(scene: Scene, text: str) -> None:
    preview = (await scene.http.post("/api/memory/import/preview", json={"text": text})).json()
    assert preview["added"] == len(preview["facts"]) == (1 if text is CHATGPT else 2)
    assert preview["left_out"] == (1 if text is CHATGPT else 0)
    assert await scene.contents() == []
    added = (await scene.http.post("/api/memory/import/add", json={"text": text})).json()
    assert [entry["content"] for entry in added.pop("data")["facts"]] == preview.pop("facts")
    assert added == preview


async def test_an_import_masks_secrets_and_is_taken_back_by_undo(scene: Scene) -> None:
    await scene.memory.add(OWN, "Lives in Rome")
    text = f"Lives in Rome\nMy key is {KEY}"
    preview = (await scene.http.post("/api/memory/import/preview", json={"text": text})).json()
    assert (preview["known"], preview["secrets"]) == (1, 1)
    assert KEY not in json.dumps(preview)
    assert KEY not in (await scene.http.post("/api/memory/import/add", json={"text": text})).text
    undone = (await scene.http.post("/api/memory/undo")).json()
    assert undone["result"] == "done"
    assert [entry["content"] for entry in undone["data"]["facts"]] == ["Lives in Rome"]


async def test_undo_says_when_there_is_nothing_and_that_forgetting_stays(scene: Scene) -> None:
    assert (await scene.http.post("/api/memory/undo")).json()["result"] == "nothing"
    fact = await scene.memory.add(OWN, "Lives in Rome")
    await scene.http.delete(f"/api/memory/facts/{fact.id}")
    undone = (await scene.http.post("/api/memory/undo")).json()
    assert (undone["result"], undone["data"]["facts"]) == ("forgotten", [])


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("[oops", "import_not_json", "JSON"),
        ('{"hello": 1}', "import_no_memories", "hello"),
        ('[{"content": "a"}, {"x": 1}]', "import_no_text", "[1]"),
        (json.dumps(["a"] * 2001), "import_too_many", "2000"),
        ("x" * 8_000_001, "import_too_large", "8 MB"),
    ],
)
async def test_what_cannot_be_imported_is_said_in_the_persons_language(
    scene: Scene, text: str, code: str, says: str
) -> None:
    for path in ("preview", "add"):
        asked = {"language": "zh-CN"} if path == "add" else {}
        answer = await scene.http.post(f"/api/memory/import/{path}", json={"text": text}, params=asked)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (422, code)
        assert says in error["text"]
        assert error["text"].startswith("没有导入" if path == "add" else "Nothing was imported")
    assert await scene.contents() == []


@pytest.mark.parametrize("body", [{}, {"text": 5}, {"text": "x", "more": 1}, []])
async def test_a_body_of_another_shape_is_refused(scene: Scene, body: object) -> None:
    answer = await scene.http.post("/api/memory/import/preview", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_request")


async def test_an_export_has_the_shape_that_is_asked_for(scene: Scene) -> None:
    await scene.memory.add(OWN, "Lives in Rome")
    mem0 = await scene.http.get("/api/memory/export/mem0")
    assert mem0.headers["content-disposition"] == 'attachment; filename="memory-mem0.json"'
    assert mem0.json()["results"][0]["memory"] == "Lives in Rome"
    assert (await scene.http.get("/api/memory/export/chatgpt")).json()[0]["content"] == "Lives in Rome"
    assert (await scene.http.get("/api/memory/export/parley")).json()["facts"]
    refused = await scene.http.get("/api/memory/export/word")
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "no_shape")


async def test_what_was_told_is_explained_for_its_person_and_nobody_else(scene: Scene) -> None:
    await scene.memory.add(OWN, "Prefers green tea")
    await scene.memory.add("telegram:7", "Prefers coffee")
    record, _ = await scene.conversations.read(CHAT)
    thread = scene.conversations.thread_id(CHAT, record)
    await scene.memory.recall(RecallQuery(OWN, "agent", thread, ("tea?",), private=True))
    asked = {"conversation": "web:chat-0001"}
    told = (await scene.http.get("/api/memory/told", params=asked)).json()
    assert told["known"]
    assert [(each["content"], each["reason"]) for each in told["facts"]] == [("Prefers green tea", "sure")]
    nothing = {"known": False, "facts": [], "others": 0}
    for more in (
        {"conversation": "web:chat-0002"},
        {"conversation": "nowhere:chat-0001"},
        asked | {"person": "telegram:7"},
        asked | {"person": "nobody"},
    ):
        assert (await scene.http.get("/api/memory/told", params=more)).json() == nothing
    refused = await scene.http.get("/api/memory/told")
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "bad_request")


async def test_all_of_it_needs_the_token_and_memory(tmp_path: Path, scene: Scene) -> None:
    asks = [
        ("POST", "/undo"),
        ("GET", "/told?conversation=web:chat-0001"),
        ("GET", "/export/mem0"),
        ("POST", "/import/preview"),
        ("POST", "/import/add"),
    ]
    for method, path in asks:
        scene.http.headers["authorization"] = "Bearer wrong-token-altogether"
        answer = await scene.http.request(method, f"/api/memory{path}")
        assert answer.status_code == 401, path
    async with opened(tmp_path / "off", replace(memory_options(), enabled=False)) as off:
        for method, path in asks:
            answer = await off.http.request(method, f"/api/memory{path}")
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "memory_off"), path
