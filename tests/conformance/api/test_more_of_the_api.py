"""What bulk jobs, forks, watchers and debuggers ask for."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk import schema as sdk
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import StreamMode
from pydantic import TypeAdapter

from tests.conformance.servers import Server
from tests.conformance.stream_helpers import human_input, texts
from tests.kit.machine import patience

_YEAR = 365 * 86_400


@pytest.fixture
def thread() -> str:
    return str(uuid4())


async def _events(client: LangGraphClient, graph: str, *modes: StreamMode) -> list[tuple[str, Any]]:
    stream = client.runs.stream(None, graph, input=human_input("hi"), stream_mode=list(modes))
    return [(part.event, part.data) async for part in stream if part.event in modes]


async def test_the_steps_of_a_run_can_be_watched(client: LangGraphClient, server: Server) -> None:
    tasks = [data for _, data in await _events(client, "echo", "tasks")]
    assert [each["name"] for each in tasks] == ["model", "model"]
    assert tasks[-1]["error"] is None
    held = [data for _, data in await _events(client, "echo", "checkpoints")]
    said = [each["values"]["messages"][-1]["content"] for each in held[-1:]]
    assert said == (["You said: hi"] if server.can.streams_checkpoints else [])
    debugged = [data for _, data in await _events(client, "echo", "debug")]
    assert {each["type"] for each in debugged} >= {"task", "task_result"}
    places = [each["payload"] for each in debugged if each["type"] == "checkpoint"]
    assert bool(places) == server.can.streams_checkpoints
    assert all(
        each["checkpoint"]["checkpoint_id"] == each["config"]["configurable"]["checkpoint_id"]
        for each in places
    )
    assert [each["parent_checkpoint"] for each in places[1:]] == [each["checkpoint"] for each in places[:-1]]


async def test_everything_that_runs_can_be_watched(client: LangGraphClient) -> None:
    got = await _events(client, "echo", "events", "updates")
    names = {data["event"] for event, data in got if event == "events"}
    assert {"on_chain_start", "on_chain_end"} <= names
    assert [list(data) for event, data in got if event == "updates"] == [["model"]]


async def test_runs_are_made_in_bulk(client: LangGraphClient) -> None:
    order: Any = {"assistant_id": "echo", "input": human_input("hi"), "on_completion": "keep"}
    made: Any = await client.runs.create_batch([order, order, order])
    for run in made:
        state: Any = await client.runs.join(run["thread_id"], run["run_id"])
        assert state["messages"][-1]["content"] == "You said: hi"
    assert len({run["thread_id"] for run in made}) == 3


async def test_a_copy_goes_its_own_way(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(
        thread, "ask", input=human_input("hi"), if_not_exists="create", metadata={"from": thread}
    )
    copying: Any = client.threads.copy
    copied = await copying(thread)
    copy = copied["thread_id"]
    assert (copied["metadata"] or {}).get("from") == thread
    assert texts(await client.threads.get_state(copy)) == texts(await client.threads.get_state(thread))
    assert len(await client.threads.get_history(copy)) == len(await client.threads.get_history(thread))
    await client.runs.wait(copy, "ask", command={"resume": "yes"})
    assert (await client.threads.get(thread))["status"] == "interrupted"
    assert (await client.threads.get(copy))["status"] == "idle"


async def test_threads_are_removed_together(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(thread, "echo", input=human_input("hi"), if_not_exists="create")
    assert await client.threads.prune([thread, str(uuid4())]) == {"pruned_count": 1}
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)


async def test_a_run_waits_for_its_time(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    late = await client.runs.create(thread, "echo", input=human_input("late"), after_seconds=_YEAR)
    soon = await client.runs.create(thread, "echo", input=human_input("soon"), after_seconds=1)
    await client.runs.join(thread, soon["run_id"])
    assert texts(await client.threads.get_state(thread)) == ["soon", "You said: soon"]
    assert (await client.runs.get(thread, late["run_id"]))["status"] == "pending"
    await client.runs.cancel(thread, late["run_id"], wait=True)
    assert (await client.runs.get(thread, late["run_id"]))["status"] == "interrupted"


async def test_whoever_watches_a_thread_sees_run_after_run(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    seen: list[Any] = []
    two_ended = asyncio.Event()

    async def watch() -> None:
        # Declared as an iterator, it has to be awaited to be one.
        following: Any = client.threads.join_stream(thread, stream_mode="run_modes")
        async for part in await following:
            seen.append(part)
            if sum(each.event == "metadata" for each in seen) >= 2 and _said(seen, "two"):
                two_ended.set()

    watching = asyncio.create_task(watch())
    # Whoever begins to watch sees what follows, so there has to be something that follows.
    while not seen and not watching.done():
        await client.runs.wait(thread, "echo", input=human_input("one"))
    await client.runs.wait(thread, "echo", input=human_input("two"))
    async with asyncio.timeout(patience(30)):
        await asyncio.wait({watching, asyncio.create_task(two_ended.wait())}, return_when="FIRST_COMPLETED")
    assert not watching.done() or watching.result() is None
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    assert TypeAdapter(list[sdk.StreamPart]).validate_python(seen)


def _said(seen: list[Any], word: str) -> bool:
    return any(
        part.event == "values" and part.data["messages"][-1]["content"] == f"You said: {word}"
        for part in seen
    )
