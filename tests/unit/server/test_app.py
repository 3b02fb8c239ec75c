"""What the server promises beyond the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from parley.server.app import create_app, embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions, ServerLimits
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.kit.samples.graphs import Blockade, Gate
from tests.unit.server.conftest import Served

HI: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def options(tmp_path: Path) -> EmbeddedOptions:
    names = (
        "echo",
        "chatter",
        "odd",
        "ask",
        "ask_then_wait",
        "gives_up",
        "made_per_run",
        "broken_factory",
    )
    return EmbeddedOptions(tmp_path / "agent.sqlite", {name: getattr(graphs, name) for name in names})


@pytest.fixture
async def client(served: Served, options: EmbeddedOptions) -> AsyncIterator[LangGraphClient]:
    async with served(options) as made:
        yield made


async def events(stream: AsyncIterator[Any]) -> list[tuple[str, Any]]:
    return [(part.event, part.data) async for part in stream]


async def test_hundreds_of_runs_at_once_all_end(client: LangGraphClient) -> None:
    results: list[Any] = await asyncio.gather(
        *(client.runs.wait(str(uuid4()), "echo", input=HI, if_not_exists="create") for _ in range(300))
    )
    assert {result["messages"][-1]["content"] for result in results} == {"You said: hi"}


async def test_first_messages_that_arrive_together_all_get_their_turn(client: LangGraphClient) -> None:
    thread = str(uuid4())
    runs = (client.runs.wait(thread, "echo", input=HI, if_not_exists="create") for _ in range(5))
    await asyncio.gather(*runs)
    state: Any = await client.threads.get_state(thread)
    assert len(state["values"]["messages"]) == 10


async def test_only_one_of_many_may_begin_when_others_are_rejected(
    served: Served, options: EmbeddedOptions
) -> None:
    gate = Gate()
    async with served(replace(options, graphs={"gate": gate.graph()})) as client:
        thread = (await client.threads.create())["thread_id"]
        made = await asyncio.gather(
            *(client.runs.create(thread, "gate", input=HI, multitask_strategy="reject") for _ in range(5)),
            return_exceptions=True,
        )
        assert sorted(type(each).__name__ for each in made) == ["ConflictError"] * 4 + ["dict"]


async def test_nodes_that_block_hold_up_nobody(served: Served, options: EmbeddedOptions) -> None:
    blockade = Blockade()
    both = {"block": blockade.graph(), "echo": graphs.echo}
    async with served(replace(options, graphs=both)) as client, asyncio.TaskGroup() as group:
        for _ in range(40):
            group.create_task(client.runs.wait(None, "block", input=HI))
        await asyncio.to_thread(blockade.reached.wait)
        await client.runs.wait(None, "echo", input=HI)
        ended = blockade.ended
        blockade.open.set()
    assert (ended, blockade.ended) == (0, 40)


async def test_whatever_a_graph_streams_becomes_json(client: LangGraphClient) -> None:
    got = await events(client.runs.stream(None, "odd", input=HI, stream_mode="custom"))
    [odd] = [data for event, data in got if event == "custom"]
    assert (odd["bytes"], odd["set"], odd["nan"], odd["half"]) == ("/w==", [1], None, "a?b")


async def test_a_run_that_says_too_much_keeps_its_end(served: Served, options: EmbeddedOptions) -> None:
    limits = ServerLimits(events=50)
    async with served(replace(options, limits=limits)) as client:
        run = await client.runs.create(None, "chatter", input=HI, stream_mode="custom", on_completion="keep")
        await client.runs.join(run["thread_id"], run["run_id"])
        got = await events(client.runs.join_stream(run["thread_id"], run["run_id"]))
    assert got[0][0] == "gap"
    assert got[-1] == ("end", {"status": "success", "thread_status": "idle"})
    assert len(got) == 51


@pytest.mark.usefixtures("sqlite_only")
async def test_joining_after_the_events_are_gone_says_how_it_ended(
    served: Served, options: EmbeddedOptions
) -> None:
    async with served(options) as client:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "echo", input=HI)
        [run] = await client.runs.list(thread)
    async with served(options) as client:
        got = await events(client.runs.join_stream(thread, run["run_id"], last_event_id="1000000002"))
        assert got == [("end", {"status": "success"})]
        state: Any = await client.runs.join(thread, run["run_id"])
        assert state["messages"][-1]["content"] == "You said: hi"


async def test_a_silent_stream_has_a_heartbeat(options: EmbeddedOptions) -> None:
    gate = Gate()
    app = create_app(replace(options, graphs={"gate": gate.graph()}, heartbeat=0.01))
    transport = StreamingASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://x", timeout=patience(30)) as http,
        http.stream("POST", "/runs/stream", json={"assistant_id": "gate", "input": HI}) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith(":"):
                gate.open.set()
            if line == "event: end":
                break
    assert gate.open.is_set()


async def test_rolling_back_an_answer_asks_again(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    state: Any = await client.runs.wait(thread, "ask_then_wait", input=HI)
    [asked] = state["__interrupt__"]
    command: Any = {"resume": {asked["id"]: "yes"}}
    run = await client.runs.create(thread, "ask_then_wait", command=command)
    await anext(client.runs.join_stream(thread, run["run_id"]))
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    row = await client.threads.get(thread)
    assert row["status"] == "interrupted"
    assert [each["id"] for each in (await client.threads.get_state(thread))["interrupts"]] == [asked["id"]]


async def test_a_queued_run_is_cancelled_without_waiting_for_its_turn(
    served: Served, options: EmbeddedOptions
) -> None:
    gate = Gate()
    async with served(replace(options, graphs={"gate": gate.graph()})) as client:
        thread = (await client.threads.create())["thread_id"]
        first = await client.runs.create(thread, "gate", input=HI)
        second = await client.runs.create(thread, "gate", input=HI)
        await gate.reached.wait()
        await client.runs.cancel(thread, second["run_id"], wait=True)
        assert (await client.runs.get(thread, second["run_id"]))["status"] == "interrupted"
        assert (await client.threads.get(thread))["status"] == "busy"
        gate.open.set()
        state: Any = await client.runs.join(thread, first["run_id"])
        assert state["messages"][-1]["content"] == "through"


async def test_a_graph_that_cancels_itself_is_a_failed_run(client: LangGraphClient) -> None:
    result: Any = await client.runs.wait(None, "gives_up", input=HI, raise_error=False)
    assert result["__error__"]["error"] == "NodeCancelledError"


async def test_a_factory_makes_the_graph_of_each_run(client: LangGraphClient) -> None:
    state: Any = await client.runs.wait(None, "made_per_run", input=HI, context={"user": "ada"})
    assert state["messages"][-1]["content"] == "for ada"
    result: Any = await client.runs.wait(None, "broken_factory", input=HI, raise_error=False)
    assert result["__error__"] == {"error": "LookupError", "message": "no such graph today"}


async def test_deleting_a_busy_thread_stops_its_run(served: Served, options: EmbeddedOptions) -> None:
    gate = Gate()
    async with served(replace(options, graphs={"gate": gate.graph()})) as client:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.create(thread, "gate", input=HI)
        await gate.reached.wait()
        await client.threads.delete(thread)
        with pytest.raises(NotFoundError):
            await client.threads.get(thread)


async def test_old_checkpoints_go_and_the_newest_stay(options: EmbeddedOptions) -> None:
    async with (
        embedded_server(replace(options, limits=ServerLimits(checkpoints=5))) as app,
        httpx.AsyncClient(
            transport=StreamingASGITransport(app), base_url="http://x", timeout=patience(30)
        ) as http,
    ):
        client = LangGraphClient(http)
        thread = (await client.threads.create())["thread_id"]
        for _ in range(5):
            state: Any = await client.runs.wait(thread, "echo", input=HI)
        assert len(await client.threads.get_history(thread, limit=100)) == 15
        await app.state.services.runs.tidy()
        assert len(await client.threads.get_history(thread, limit=100)) == 5
        assert await client.runs.wait(thread, "echo", input={"messages": []}) != state
        assert len((await client.threads.get_state(thread))["values"]["messages"]) == 11  # type: ignore[call-overload]


async def test_what_we_cannot_do_is_refused_and_not_ignored(client: LangGraphClient) -> None:
    for asked in ({"webhook": "http://example.org"}, {"after_seconds": -1}, {"stream_mode": "hints"}):
        with pytest.raises(UnprocessableEntityError, match=next(iter(asked))):
            await client.runs.create(None, "echo", input=HI, **asked)
    with pytest.raises(UnprocessableEntityError, match="ttl"):
        await client.threads.create(ttl=5)


async def test_modes_that_only_other_graphs_have_change_nothing(client: LangGraphClient) -> None:
    modes: Any = ["values", "tools", "lifecycle"]
    got = await events(client.runs.stream(None, "echo", input=HI, stream_mode=modes))
    assert {name for name, _ in got} == {"metadata", "values", "end"}


async def test_a_thread_keeps_its_newest_state_when_the_rest_is_pruned(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    for _ in range(2):
        await client.runs.wait(thread, "echo", input=HI)
    before = await client.threads.get_state(thread)
    assert await client.threads.prune([thread, str(uuid4())], strategy="keep_latest") == {"pruned_count": 1}
    [left] = await client.threads.get_history(thread, limit=100)
    assert left["values"] == before["values"]


async def test_a_run_that_waits_for_its_time_outlives_the_process(
    tmp_path: Path, options: EmbeddedOptions
) -> None:
    at = 1_000.0

    @asynccontextmanager
    async def started() -> AsyncIterator[LangGraphClient]:
        app = create_app(options, lambda: at)
        transport = StreamingASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://x", timeout=patience(30)) as http,
        ):
            yield LangGraphClient(http)

    async with started() as client:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, "echo", input=HI, after_seconds=600)
    at += 601
    async with started() as client:
        state: Any = await client.runs.join(thread, run["run_id"])
    assert state["messages"][-1]["content"] == "You said: hi"


RUBBISH = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"assistant_id": 7}',
    b'{"assistant_id": "echo", "config": 3}',
    b"\xff" * 10,
]


@pytest.mark.parametrize("body", RUBBISH)
async def test_rubbish_is_refused_in_one_sentence(options: EmbeddedOptions, body: bytes) -> None:
    async with (
        embedded_server(options) as app,
        httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://x") as http,
    ):
        headers = {"content-type": "application/json"}
        for path in ("/runs/wait", "/runs/stream", f"/threads/{uuid4()}/runs", "/threads/search"):
            response = await http.post(path, content=body, headers=headers)
            assert (
                response.status_code in (200, 422)
                if path == "/threads/search"
                else response.status_code == 422
            )
        assert (await http.post("/runs/wait", content=body)).status_code == 415
        assert (await http.get("/ok")).json() == {"ok": True}


async def test_a_body_may_not_be_endless(options: EmbeddedOptions) -> None:
    async with (
        embedded_server(replace(options, limits=ServerLimits(body=1000))) as app,
        httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://x") as http,
    ):
        response = await http.post("/runs/wait", json={"assistant_id": "echo", "input": "x" * 2000})
    assert response.status_code == 413


async def test_with_a_key_nobody_comes_in_without_it(options: EmbeddedOptions) -> None:
    async with (
        embedded_server(replace(options, api_key="sesame")) as app,
        httpx.AsyncClient(transport=StreamingASGITransport(app), base_url="http://x") as http,
    ):
        assert (await http.get("/ok")).status_code == 200
        assert (await http.get("/info")).status_code == 401
        assert (await http.get("/info", headers={"x-api-key": "wrong"})).status_code == 403
        assert (await http.get("/info", headers={"x-api-key": "sesame"})).status_code == 200
        assert (await http.get("/info", headers={"authorization": "Bearer sesame"})).status_code == 200
        assert (await http.get("/info", headers={"authorization": "Basic sesame"})).status_code == 401
