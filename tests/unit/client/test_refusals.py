"""What is refused, and who cannot be reached, is one error with a status, a code and a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from parley import AsyncClient, ClientError
from parley.console.api.memory import memory_routes
from parley.console.http.options import ConsoleOptions
from parley.core.ports.memory.admin import FailedTurn
from tests.kit.doubles.console_server import serving
from tests.kit.doubles.memory_admin import OWN, Memories, empty, fact
from tests.kit.machine import patience

TOKEN = "correct-horse-battery"


async def _no_parley(request: Request) -> Response:
    return PlainTextResponse("hello")


@asynccontextmanager
async def served(memories: Memories, token: str = TOKEN) -> AsyncIterator[AsyncClient]:
    """A client of a server that has memories, and something else where the threads are."""
    routes = [*memory_routes(memories, memories.own), Route("/api/chat/conversations", _no_parley)]
    async with (
        serving(ConsoleOptions(port=0, token=TOKEN), routes) as http,
        AsyncClient(url=str(http.base_url), token=token, timeout=patience(20)) as client,
    ):
        yield client


@pytest_asyncio.fixture
async def client() -> AsyncIterator[AsyncClient]:
    memories = Memories(documents={OWN: empty() | {"facts": [fact(1, "Prefers tea", "preference")]}})
    memories.letters = [FailedTurn(4, OWN, "turn-1", 0.0, "the model was away")]
    async with served(memories) as client:
        yield client


@pytest.mark.parametrize(
    ("act", "status", "code"),
    [
        (lambda client: client.memory.forget("a b?x=#1"), 404, "no_fact"),
        (lambda client: client.memory.add("Prefers tea"), 409, "known"),
        (lambda client: client.memory.add(" "), 422, "bad_request"),
        (lambda client: client.memory.update("fact_00000001"), 422, "bad_request"),
        (lambda client: client.memory.replace({}), 422, "bad_memory"),
        (lambda client: client.memory.retry(9), 404, "no_dead_letter"),
        (lambda client: client.threads.list(), 0, "shape"),
    ],
)
async def test_a_refusal_carries_status_code_and_sentence(
    client: AsyncClient, act: Callable[[AsyncClient], Awaitable[object]], status: int, code: str
) -> None:
    with pytest.raises(ClientError) as refusal:
        await act(client)
    assert (refusal.value.status, refusal.value.code) == (status, code)
    assert refusal.value.user_text


async def test_another_persons_memory_is_asked_for_by_name(client: AsyncClient) -> None:
    whole = await client.memory_of("telegram:7").add("Has a cat")
    assert [each["content"] for each in whole["facts"]] == ["Has a cat"]
    assert [each["content"] for each in (await client.memory.get())["facts"]] == ["Prefers tea"]


async def test_failed_turns_are_listed_and_retried(client: AsyncClient) -> None:
    (failed,) = (await client.memory.failed_turns()).dead_letters
    await client.memory.retry(failed.item)
    assert (await client.memory.failed_turns()).dead_letters == []


async def test_without_the_token_it_is_told_so() -> None:
    async with served(Memories(), "wrong-horse-battery") as client:
        with pytest.raises(ClientError, match="token") as refusal:
            await client.memory.get()
    assert refusal.value.status == 401


async def test_a_server_that_is_away_cannot_be_reached() -> None:
    async with AsyncClient(url="http://127.0.0.1:9") as client:
        with pytest.raises(ClientError, match="cannot be reached"):
            await client.memory.get()


@pytest.mark.parametrize(
    "url", ["http://[::1", "nonsense", "ftp://127.0.0.1", "http://", "http://127.0.0.1:99999"]
)
async def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ClientError, match=r"^url: must be such as") as refusal:
        async with AsyncClient(url=url):
            pass
    assert refusal.value.code == "bad_url"


@pytest.mark.parametrize("token", ["ü", "a\nb", "a\0"])
async def test_a_token_that_no_header_can_have_is_refused_at_once(token: str) -> None:
    with pytest.raises(ClientError, match=r"^token: ") as refusal:
        async with AsyncClient(url="http://127.0.0.1:9", token=token):
            pass
    assert refusal.value.code == "bad_token"


async def test_a_text_that_is_no_unicode_is_refused(client: AsyncClient) -> None:
    for act in (client.memory.add("\ud800"), client.files.upload(b"x", "\ud800")):
        with pytest.raises(ClientError) as refusal:
            await act
        assert (refusal.value.status, refusal.value.code) == (422, "bad_request")


@pytest.mark.parametrize(
    "frame",
    [
        "event: entry\ndata: {}",
        "event: entry\ndata: []",
        "event: chat\ndata: 7",
        "event: reset\ndata: nothing",
    ],
)
async def test_a_stream_of_something_else_is_no_parley(frame: str) -> None:
    async def events(request: Request) -> Response:
        return PlainTextResponse(f"id: \u00fc\n{frame}\n\n", media_type="text/event-stream")

    async def taken(request: Request) -> Response:
        return PlainTextResponse("{}", 202)

    routes = [
        Route("/api/chat/events", events),
        Route("/api/chat/conversations/{chat}/messages", taken, methods=["POST"]),
        Route("/api/chat/conversations/{chat}", _no_parley),
    ]
    async with (
        serving(ConsoleOptions(port=0, token=TOKEN), routes) as http,
        AsyncClient(url=str(http.base_url), token=TOKEN) as client,
    ):
        with pytest.raises(ClientError, match="no Parley") as refusal:
            await client.chat("hello", timeout=patience(20))
    assert refusal.value.code == "shape"
