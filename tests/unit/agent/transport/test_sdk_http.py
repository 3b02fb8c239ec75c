"""The SDK's calls go straight to the transport, and mean what they meant."""

import gzip
import json

import httpx
import pytest

from parley.agent.transport.http_client import AgentEndpoint, make_clients


class Server(httpx.AsyncBaseTransport):
    """Answers every request with one prepared response, and keeps the requests."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.response


ENDPOINT = AgentEndpoint("http://agent.example/base/", "secret", {"X-Team": "blue"})


async def get_thread(server: Server) -> object:
    http, sdk = make_clients(ENDPOINT, server)
    async with http:
        return await sdk.threads.get("t 1")


async def events(server: Server) -> list[tuple[str, object]]:
    http, sdk = make_clients(ENDPOINT, server)
    async with http:
        return [(part.event, part.data) async for part in sdk.runs.stream("t", "agent", input={})]


async def test_the_address_the_key_and_the_headers_arrive_once() -> None:
    server = Server(httpx.Response(200, json={"thread_id": "t 1"}))
    assert await get_thread(server) == {"thread_id": "t 1"}
    (request,) = server.requests
    assert str(request.url).startswith("http://agent.example/base/threads/")
    names = [name.lower() for name, _ in request.headers.raw]
    assert len(names) == len(set(names))
    assert (request.headers["x-api-key"], request.headers["x-team"]) == ("secret", "blue")


async def test_a_large_compressed_body_is_read_whole() -> None:
    thread = {"values": {"messages": ["x" * 1000] * 1000}}
    body = gzip.compress(json.dumps(thread).encode())
    response = httpx.Response(200, content=body, headers={"content-encoding": "gzip"})
    assert await get_thread(Server(response)) == thread


@pytest.mark.parametrize("status", [301, 404, 409, 500])
async def test_anything_but_success_is_an_error_with_its_status(status: int) -> None:
    with pytest.raises(httpx.HTTPStatusError) as caught:
        await get_thread(Server(httpx.Response(status, json={"detail": "no"})))
    assert caught.value.response.status_code == status


async def test_a_body_that_is_no_json_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unexpected"):
        await get_thread(Server(httpx.Response(200, text="<html>")))


async def test_events_are_read_to_the_last_one_without_a_closing_line() -> None:
    body = 'event: values\ndata: {"a": 1}\n\n: beat\n\nevent: end\ndata: null\n'
    server = Server(httpx.Response(200, text=body, headers={"content-type": "text/event-stream"}))
    assert await events(server) == [("values", {"a": 1}), ("end", None)]
    assert json.loads(server.requests[0].content)["assistant_id"] == "agent"


async def test_an_answer_that_is_no_stream_is_refused() -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        await events(Server(httpx.Response(200, text="<html>")))
