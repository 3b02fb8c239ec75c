"""Runs that meet, are stopped, or lose their listener."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from tests.conformance.servers import Server
from tests.conformance.stream_helpers import (
    TOKENS,
    collect,
    events_named,
    human_input,
    start_run,
    texts,
    wait_for_status,
)


@pytest.fixture
def thread() -> str:
    return str(uuid4())


async def test_reject_refuses_a_second_run(client: LangGraphClient, thread: str) -> None:
    run_id = await start_run(client, thread)
    with pytest.raises(ConflictError):
        await client.runs.create(thread, "echo", input=human_input("two"), multitask_strategy="reject")
    await client.runs.cancel(thread, run_id, wait=True)


async def test_enqueue_runs_in_order(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    first = await client.runs.create(thread, "echo", input=human_input("one"), multitask_strategy="enqueue")
    await client.runs.wait(thread, "echo", input=human_input("two"), multitask_strategy="enqueue")
    assert await wait_for_status(client, thread, first["run_id"]) == "success"
    expected = ["one", "You said: one", "two", "You said: two"]
    assert texts(await client.threads.get_state(thread)) == expected


async def test_interrupt_stops_the_first_and_keeps_what_it_was_asked(
    client: LangGraphClient, thread: str
) -> None:
    first = await start_run(client, thread)
    await client.runs.wait(thread, "echo", input=human_input("two"), multitask_strategy="interrupt")
    assert await wait_for_status(client, thread, first) == "interrupted"
    assert texts(await client.threads.get_state(thread)) == ["one", "two", "You said: two"]


async def test_rollback_undoes_the_first(client: LangGraphClient, thread: str) -> None:
    await start_run(client, thread)
    await client.runs.wait(thread, "echo", input=human_input("two"), multitask_strategy="rollback")
    assert texts(await client.threads.get_state(thread)) == ["two", "You said: two"]


async def test_a_cancelled_run_is_interrupted_and_the_thread_goes_on(
    client: LangGraphClient, thread: str
) -> None:
    run_id = await start_run(client, thread)
    await client.runs.cancel(thread, run_id, wait=True)
    assert await wait_for_status(client, thread, run_id) == "interrupted"
    assert (await client.threads.get(thread))["status"] == "interrupted"
    assert texts(await client.threads.get_state(thread)) == ["one"]
    result: Any = await client.runs.wait(thread, "echo", input=human_input("two"))
    assert result["messages"][-1]["content"] == "You said: two"


async def test_a_rolled_back_run_leaves_no_trace(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(thread, "echo", input=human_input("zero"), if_not_exists="create")
    run_id = await start_run(client, thread)
    await client.runs.cancel(thread, run_id, wait=True, action="rollback")
    with pytest.raises(NotFoundError):
        await wait_for_status(client, thread, run_id)
    assert texts(await client.threads.get_state(thread)) == ["zero", "You said: zero"]
    assert (await client.threads.get(thread))["status"] == "idle"


async def test_a_cancelled_stream_closes(client: LangGraphClient, thread: str, server: Server) -> None:
    run_id = await start_run(client, thread)
    stream = client.runs.join_stream(thread, run_id, last_event_id="0")
    parts = [await anext(stream)]
    await client.runs.cancel(thread, run_id)
    parts += await collect(stream)
    ends = [end["status"] for end in events_named(parts, "end")]
    assert ends == (["interrupted"] if server.can.emits_end else [])


async def test_cancelling_what_is_over_or_unknown_is_not_found(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    run = await client.runs.create(thread, "echo", input=human_input("one"))
    await wait_for_status(client, thread, run["run_id"])
    for run_id in (run["run_id"], str(uuid4())):
        with pytest.raises(NotFoundError):
            await client.runs.cancel(thread, run_id)


async def test_several_runs_are_cancelled_at_once(client: LangGraphClient, thread: str) -> None:
    running = await start_run(client, thread)
    queued = await client.runs.create(thread, "echo", input=human_input("two"), multitask_strategy="enqueue")
    runs = [running, queued["run_id"]]
    await client.runs.cancel_many(thread_id=thread, run_ids=runs)
    assert [await wait_for_status(client, thread, run_id) for run_id in runs] == [
        "interrupted",
        "interrupted",
    ]


async def test_a_run_outlives_its_listener_unless_told_otherwise(
    client: LangGraphClient, thread: str
) -> None:
    lasting = await start_run(client, thread, on_disconnect="continue")
    other = str(uuid4())
    fleeting = await start_run(client, other, on_disconnect="cancel")
    assert await wait_for_status(client, other, fleeting) == "interrupted"
    assert (await client.runs.get(thread, lasting))["status"] == "running"
    await client.runs.cancel(thread, lasting, wait=True)


async def test_joining_gives_exactly_what_followed(
    client: LangGraphClient, thread: str, server: Server
) -> None:
    run_id = await start_run(client, thread, graph="echo")
    await wait_for_status(client, thread, run_id)
    everything = await collect(client.runs.join_stream(thread, run_id, last_event_id="-1"))
    seen = everything[2].id
    rest = await collect(client.runs.join_stream(thread, run_id, last_event_id=seen))
    words = "".join(message["content"] for message, _ in events_named(everything, "messages"))
    assert words == "You said: one"
    if server.can.exact_ids:
        assert [part.id for part in rest] == [part.id for part in everything[3:]]


async def test_join_waits_for_the_final_state(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    run = await client.runs.create(thread, "echo", input=human_input("one"))
    state: Any = await client.runs.join(thread, run["run_id"])
    assert state["messages"][-1]["content"] == "You said: one"


async def test_wait_reports_a_failure(client: LangGraphClient, thread: str) -> None:
    result: Any = await client.runs.wait(
        thread, "failing", input=human_input("one"), if_not_exists="create", raise_error=False
    )
    assert result["__error__"] == {"error": "RuntimeError", "message": "model exploded"}


async def test_a_busy_thread_never_holds_up_another(client: LangGraphClient, thread: str) -> None:
    run_id = await start_run(client, thread)
    queued = await client.runs.create(thread, "echo", input=human_input("two"), multitask_strategy="enqueue")
    state: Any = await client.runs.wait(str(uuid4()), "echo", input=human_input("hi"), if_not_exists="create")
    assert state["messages"][-1]["content"] == "You said: hi"
    assert (await client.runs.get(thread, queued["run_id"]))["status"] == "pending"
    await client.runs.cancel_many(thread_id=thread, run_ids=[queued["run_id"], run_id])


async def test_waiting_on_a_missing_thread_is_not_found(client: LangGraphClient, thread: str) -> None:
    with pytest.raises(httpx.HTTPStatusError) as refused:
        await client.runs.wait(thread, "echo", input=human_input("one"))
    assert refused.value.response.status_code == 404
    with pytest.raises(NotFoundError):
        await collect(client.runs.stream(thread, "echo", input=human_input("one"), stream_mode=TOKENS))
