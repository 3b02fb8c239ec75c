"""An id that a caller or a server gives stays one part of an address, or is refused unsent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import pytest_asyncio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley import AsyncClient, ClientError
from parley.channels.web.chat.entries import EntryLocation
from parley.channels.web.files.file_ref import FileRef
from parley.client.connection import Connection, ServerEvent
from parley.client.opening import open_remote
from parley.client.replies import follow_reply
from parley.console.http.options import ConsoleOptions
from parley.core.model.attachments import AttachmentKind
from tests.kit.doubles.console_server import serving
from tests.kit.machine import patience

TOKEN = "correct-horse-battery"
ESCAPING = (
    "..",
    ".",
    "../../memory",
    "a/messages",
    "..%2f..%2fmemory/facts",
    "thread-1/../thread-2",
    "a\\..\\b",
    "/",
)
QUOTED = ("thread?topic=other", "thread#part", "thread%2Fstop", "a b", "über", "thread;x=1", "\ud800")


class Seen:
    """Every address that was asked for, as it came over the wire."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    async def take(self, request: Request) -> Response:
        raw = request.scope["raw_path"].decode()
        self.paths.append(raw + (f"?{request.url.query}" if request.url.query else ""))
        return JSONResponse({"error": {"code": "unknown", "text": "There is nothing of that name."}}, 404)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest_asyncio.fixture
async def address(seen: Seen) -> AsyncIterator[str]:
    route = Route("/{rest:path}", seen.take, methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
    async with serving(ConsoleOptions(port=0, token=TOKEN), [route]) as http:
        yield str(http.base_url)


def _file(file_id: str) -> FileRef:
    return FileRef(file_id, "a.txt", "text/plain", 1, AttachmentKind.FILE)


ACTS: tuple[tuple[Callable[[AsyncClient, str], Awaitable[object]], str], ...] = (
    (lambda client, given: client.threads.get(given), "/api/chat/conversations/{}"),
    (lambda client, given: client.threads.rename(given, "x"), "/api/chat/conversations/{}"),
    (lambda client, given: client.threads.history(given), "/api/chat/conversations/{}/messages"),
    (lambda client, given: client.threads.stop(given), "/api/chat/conversations/{}/stop"),
    (lambda client, given: client.threads.delete(given), "/api/chat/conversations/{}"),
    (lambda client, given: client.chat("hello", thread=given), "/api/chat/conversations/{}/messages"),
    (lambda client, given: client.files.list(given), "/api/chat/conversations/{}/files"),
    (lambda client, given: client.files.read(given), "/api/chat/files/{}"),
    (lambda client, given: client.files.read(_file(given)), "/api/chat/files/{}"),
    (lambda client, given: client.files.discard(_file(given)), "/api/chat/uploads/{}"),
    (lambda client, given: client.memory.forget(given), "/api/memory/facts/{}"),
    (lambda client, given: client.memory.update(given, content="x"), "/api/memory/facts/{}"),
    (lambda client, given: client.memory.export_as(given), "/api/memory/export/{}"),
    (lambda client, given: client.memory.retry(given), "/api/memory/dead-letters/{}/retry"),  # type: ignore[arg-type]
)


@pytest.mark.parametrize(("act", "expected"), ACTS)
async def test_an_id_never_leads_to_another_address(
    act: Callable[[AsyncClient, str], Awaitable[object]], expected: str, address: str, seen: Seen
) -> None:
    before, _, after = expected.partition("{}")
    async with AsyncClient(url=address, token=TOKEN, timeout=patience(20)) as client:
        for given in ESCAPING:
            with pytest.raises(ClientError, match="cannot be an id") as refused:
                await act(client, given)
            assert (refused.value.status, refused.value.code) == (404, "unknown")
        assert seen.paths == []
        for given in QUOTED:
            with pytest.raises(ClientError):
                await act(client, given)
    for path in seen.paths:
        assert path.startswith(before), path
        assert path.endswith(after), path
        assert not set("/?#") & set(path.removeprefix(before).removesuffix(after)), path
    assert len(seen.paths) == len(QUOTED)


async def test_an_empty_id_is_refused_where_one_is_meant(address: str, seen: Seen) -> None:
    async with AsyncClient(url=address, token=TOKEN, timeout=patience(20)) as client:
        for act in (client.threads.get, client.threads.delete, client.memory.forget, client.files.read):
            with pytest.raises(ClientError, match="cannot be an id"):
                await act("")
    assert seen.paths == []


class _Reset(Connection):
    """A connection whose stream tells to look at all messages."""

    async def events(self, last: str) -> AsyncIterator[ServerEvent]:  # type: ignore[override]
        yield ServerEvent("reset", {}, "1.1")


async def test_nor_does_a_thread_id_while_a_reply_is_followed(address: str, seen: Seen) -> None:
    connection = _Reset(open_remote(address, TOKEN, patience(20)))
    await connection.open()
    try:
        with pytest.raises(ClientError):
            await anext(follow_reply(connection, EntryLocation("a?topic=b#c"), "message-1"))
        with pytest.raises(ClientError, match="cannot be an id"):
            await anext(follow_reply(connection, EntryLocation("../../memory"), "message-1"))
    finally:
        await connection.close()
    assert seen.paths == ["/api/chat/conversations/a%3Ftopic%3Db%23c"]
