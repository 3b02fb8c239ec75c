"""A run option that a server refuses is left out, and not sent to that server again."""

import asyncio
import json
from dataclasses import replace

import httpx
import pytest

from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.core.model.types import Json

ENDPOINT = AgentEndpoint("http://agent.example")
DEERFLOW = {
    "type": "unsupported_run_option",
    "loc": ["body", "stream_resumable"],
    "msg": "Run option 'stream_resumable' is not supported by DeerFlow",
    "input": True,
    "ctx": {"option": "stream_resumable"},
}


def extra(name: str) -> object:
    return {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}


class StrictServer(httpx.AsyncBaseTransport):
    """Answers the next requests with `refusals`, each with its status, and every later one with success."""

    def __init__(self, *refusals: tuple[int, object]) -> None:
        self._refusals = list(refusals)
        self.bodies: list[dict[str, Json]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.bodies.append(json.loads(request.content))
        if self._refusals:
            status, detail = self._refusals.pop(0)
            return httpx.Response(status, json=detail)
        if request.url.path.endswith("/stream"):
            events = b'event: end\r\ndata: {"status": "success"}\r\n\r\n'
            return httpx.Response(200, content=events, headers={"content-type": "text/event-stream"})
        return httpx.Response(200, json={"run_id": "r1"})


async def make_runs(server: StrictServer, count: int = 1, *, streams: bool = True) -> None:
    http, sdk = make_clients(ENDPOINT, server)
    async with http:
        for _ in range(count):
            if streams:
                async for _ in sdk.runs.stream(
                    "t", "a", input={}, stream_mode=["updates", "custom"], stream_resumable=True
                ):
                    pass
            else:
                await sdk.runs.create("t", "a", input={}, metadata={"turn": "1"}, stream_resumable=True)


@pytest.mark.parametrize("streams", [True, False])
async def test_it_is_left_out_at_once_and_remembered(*, streams: bool) -> None:
    server = StrictServer((422, {"detail": [DEERFLOW]}))
    await make_runs(server, 2, streams=streams)
    assert ["stream_resumable" in body for body in server.bodies] == [True, False, False]
    first, second, _ = server.bodies
    assert first.get("metadata") == second.get("metadata")


async def test_runs_that_are_refused_at_the_same_time_all_go_on() -> None:
    """The second refusal says nothing new: what the first one taught was not known when it was sent."""

    class TogetherServer(StrictServer):
        both = asyncio.Barrier(2)

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            answer = await super().handle_async_request(request)
            if answer.status_code != 200:
                await self.both.wait()
            return answer

    server = TogetherServer(*[(422, {"detail": [DEERFLOW]})] * 2)
    http, sdk = make_clients(ENDPOINT, server)
    async with http:
        await asyncio.gather(*(sdk.runs.create("t", "a", input={}, stream_resumable=True) for _ in range(2)))
    assert ["stream_resumable" in body for body in server.bodies] == [True, True, False, False]


async def test_one_after_another_is_left_out() -> None:
    refusals = [{"detail": [extra("stream_resumable"), extra("stream_subgraphs")]}, {"detail": [DEERFLOW]}]
    await make_runs(server := StrictServer((422, refusals[0])))
    assert not {"stream_resumable", "stream_subgraphs"} & set(server.bodies[-1])


async def test_a_server_that_says_it_in_words_is_understood() -> None:
    server = StrictServer((400, {"detail": "Unexpected property 'stream_resumable'"}))
    await make_runs(server)
    assert "stream_resumable" not in server.bodies[-1]


async def test_a_stream_mode_that_is_only_progress_can_go() -> None:
    refused = {"loc": ["body", "stream_mode"], "ctx": {"modes": "custom"}}
    await make_runs(server := StrictServer((422, {"detail": [refused]})))
    assert server.bodies[-1]["stream_mode"] == ["updates"]


@pytest.mark.parametrize(
    ("status", "detail"),
    [
        (422, {"detail": [extra("input")]}),
        (422, {"detail": [extra("webhook")]}),
        (422, {"detail": [{"loc": ["body", "config", "recursion_limit"]}]}),
        (422, {"detail": "Invalid assistant: 'stream_resumable'"}),
        (422, [["nothing", {"loc": 5, "ctx": [1]}]]),
        (500, {"detail": [DEERFLOW]}),
    ],
)
async def test_anything_else_is_an_error(status: int, detail: object) -> None:
    server = StrictServer((status, detail))
    with pytest.raises(httpx.HTTPStatusError):
        await make_runs(server)
    assert len(server.bodies) == 1


async def test_a_server_that_refuses_for_ever_is_asked_a_few_times_only() -> None:
    names = ["stream_resumable", "stream_subgraphs", "if_not_exists"]
    server = StrictServer(*[(422, {"detail": [extra(name)]}) for name in names * 20])
    with pytest.raises(httpx.HTTPStatusError):
        await make_runs(server)
    assert len(server.bodies) == 3


TWO_PLACES = "Cannot specify both configurable and context. Prefer setting context alone."


@pytest.mark.parametrize("known", [True, False])
async def test_a_context_joins_configurable_where_a_server_takes_one_of_them(*, known: bool) -> None:
    server = StrictServer(*([] if known else [(400, {"detail": TWO_PLACES})]))
    http, sdk = make_clients(replace(ENDPOINT, one_place=known), server)
    async with http:
        for _ in range(2):
            await sdk.runs.create(
                "t", "a", config={"configurable": {"a": 1}, "tags": ["t"]}, context={"b": 2}
            )
        await sdk.runs.create("t", "a", context={"b": 2})
    refused = [] if known else [server.bodies.pop(0)]
    assert all(body["context"] == {"b": 2} for body in refused)
    first, second, alone = server.bodies
    assert first["config"] == second["config"] == {"configurable": {"a": 1, "b": 2}, "tags": ["t"]}
    assert "context" not in first
    assert alone["context"] == {"b": 2}


async def test_another_refusal_is_the_turns_own(caplog: pytest.LogCaptureFixture) -> None:
    server = StrictServer((400, {"detail": "context: no such model"}))
    http, sdk = make_clients(ENDPOINT, server)
    async with http:
        with pytest.raises(httpx.HTTPStatusError):
            await sdk.runs.create("t", "a", config={"configurable": {"a": 1}}, context={"b": 2})
    assert len(server.bodies) == 1
