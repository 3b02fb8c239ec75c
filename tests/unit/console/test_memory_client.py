"""The Python client: the same answers as over HTTP, and errors that say what the server said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from parley.console.api.memory import memory_routes
from parley.console.http.options import ConsoleOptions
from parley.console.memory_client import MemoryClient, MemoryRefused
from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory.admin import FailedTurn
from tests.kit.doubles.console_server import serving
from tests.kit.doubles.memory_admin import OWN, Memories, empty, fact
from tests.kit.machine import patience

TOKEN = "correct-horse-battery"


@asynccontextmanager
async def served(memories: Memories) -> AsyncIterator[str]:
    options = ConsoleOptions(port=0, token=TOKEN)
    async with serving(options, memory_routes(memories, memories.own)) as http:
        yield str(http.base_url)


def remembering() -> Memories:
    return Memories(documents={OWN: empty() | {"facts": [fact(1, "Prefers tea", "preference")]}})


async def test_it_says_what_the_server_says() -> None:
    async with served(remembering()) as url:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=patience(20)) as http:
            raw = {
                path: (await http.get(f"/api/memory{path}")).json()
                for path in ("", "/config", "/status", "/people", "/export", "/dead-letters")
            }
        with MemoryClient(url, TOKEN) as client:
            asked = await asyncio.to_thread(
                lambda: {
                    "": client.get_memory(),
                    "/config": client.get_memory_config(),
                    "/status": client.get_memory_status(),
                    "/people": client.get_memory_people(),
                    "/export": client.export_memory(),
                    "/dead-letters": client.get_dead_letters(),
                }
            )
        assert asked == raw


async def test_everything_that_can_be_done_over_http_can_be_done_with_it() -> None:
    memories = remembering()
    memories.letters = [FailedTurn(4, OWN, "turn-1", 0.0, "the model was away")]

    def use(client: MemoryClient) -> None:
        client.create_memory_fact("Lives in Rome", "context", 0.8)
        assert memories.facts() == ["Prefers tea", "Lives in Rome"]
        client.update_memory_fact("fact_00000001", content="Prefers coffee")
        assert memories.facts() == ["Prefers coffee", "Lives in Rome"]
        client.delete_memory_fact("fact_00000001")
        kept = client.export_memory()
        assert client.clear_memory() == empty()
        assert client.import_memory(kept) == kept
        assert client.reload_memory() == kept
        assert client.switch_memory(False)["on"] is False
        client.retry_dead_letter(4)
        assert client.get_dead_letters() == {"dead_letters": []}

    async with served(memories) as url:
        with MemoryClient(url, TOKEN) as client:
            await asyncio.to_thread(use, client)
    assert memories.facts() == ["Lives in Rome"]


async def test_another_persons_memory_is_asked_for_by_name() -> None:
    memories = remembering()
    async with served(memories) as url:
        with MemoryClient(url, TOKEN, person="telegram:7") as client:
            await asyncio.to_thread(client.create_memory_fact, "Has a cat")
    assert memories.facts("telegram:7") == ["Has a cat"]
    assert memories.facts() == ["Prefers tea"]


@pytest.mark.parametrize(
    ("act", "status", "code"),
    [
        (lambda client: client.delete_memory_fact("fact_9"), 404, "no_fact"),
        (lambda client: client.delete_memory_fact("a b?x=#1"), 404, "no_fact"),
        (lambda client: client.create_memory_fact("Prefers tea"), 409, "known"),
        (lambda client: client.create_memory_fact(" "), 422, "bad_request"),
        (lambda client: client.update_memory_fact("fact_00000001"), 422, "bad_request"),
        (lambda client: client.import_memory({}), 422, "bad_memory"),
        (lambda client: client.retry_dead_letter(9), 404, "no_dead_letter"),
    ],
)
async def test_a_refusal_carries_status_code_and_sentence(act, status, code) -> None:
    async with served(remembering()) as url:
        with MemoryClient(url, TOKEN) as client, pytest.raises(MemoryRefused) as refusal:
            await asyncio.to_thread(act, client)
    assert (refusal.value.status, refusal.value.code) == (status, code)
    assert refusal.value.user_text


async def test_without_the_token_it_is_told_so() -> None:
    async with served(remembering()) as url:
        with MemoryClient(url, "wrong-horse-battery") as client, pytest.raises(MemoryRefused) as refusal:
            await asyncio.to_thread(client.get_memory)
    assert refusal.value.status == 401
    assert "token" in refusal.value.user_text


async def test_a_server_that_is_away_is_a_failure_of_memory() -> None:
    async with served(remembering()) as url:
        pass
    with MemoryClient(url) as client, pytest.raises(MemoryFailed, match="cannot be reached"):
        await asyncio.to_thread(client.get_memory)
