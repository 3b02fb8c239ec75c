"""Graphs that ask."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.conformance.stream_helpers import TOKENS, collect, events_named, human_input, texts


async def asked(client: LangGraphClient, graph: str) -> tuple[str, list[Any]]:
    thread = str(uuid4())
    stream = client.runs.stream(
        thread,
        graph,
        input=human_input("go"),
        stream_mode=TOKENS,
        if_not_exists="create",
    )
    updates = events_named(await collect(stream), "updates")
    return thread, [each for update in updates for each in update.get("__interrupt__", [])]


async def test_an_interrupt_is_seen_in_the_stream_the_thread_and_its_state(client: LangGraphClient) -> None:
    thread, [interrupt] = await asked(client, "ask")
    assert interrupt["value"] == {"question": "Send this?"}
    row = await client.threads.get(thread)
    assert row["status"] == "interrupted"
    assert [each["id"] for task in row["interrupts"].values() for each in task] == [interrupt["id"]]
    state = await client.threads.get_state(thread)
    assert list(state["next"]) == ["ask"]
    assert state["tasks"][0]["interrupts"][0]["id"] == interrupt["id"]
    assert state["interrupts"][0]["value"] == interrupt["value"]
    [run] = await client.runs.list(thread)
    assert run["status"] == "success"


@pytest.mark.parametrize("late", [False, True])
async def test_who_joins_a_run_is_told_what_it_asks(client: LangGraphClient, late: bool) -> None:
    run = await client.runs.create(str(uuid4()), "ask", input=human_input("go"), if_not_exists="create")
    if late:
        await collect(client.runs.join_stream(run["thread_id"], run["run_id"]))
    values: Any = await client.runs.join(run["thread_id"], run["run_id"])
    assert [each["value"] for each in values["__interrupt__"]] == [{"question": "Send this?"}]


async def test_an_answer_by_id_resumes(client: LangGraphClient) -> None:
    thread, [interrupt] = await asked(client, "ask")
    await client.runs.wait(thread, "ask", command={"resume": {interrupt["id"]: "yes"}})
    assert texts(await client.threads.get_state(thread)) == ["go", "answer was yes"]
    row = await client.threads.get(thread)
    assert (row["status"], row["interrupts"]) == ("idle", {})


async def test_a_plain_answer_resumes_a_single_interrupt(client: LangGraphClient) -> None:
    thread, _ = await asked(client, "ask")
    await client.runs.wait(thread, "ask", command={"resume": "no"})
    assert texts(await client.threads.get_state(thread)) == ["go", "answer was no"]


async def test_parallel_interrupts_are_answered_together_by_id(client: LangGraphClient) -> None:
    thread, interrupts = await asked(client, "ask_two")
    ids = {each["value"]: each["id"] for each in interrupts}
    assert set(ids) == {"left", "right"}
    await client.runs.wait(thread, "ask_two", command={"resume": {ids["left"]: 1, ids["right"]: 2}})
    state: Any = await client.threads.get_state(thread)
    assert sorted(state["values"]["answers"]) == ["left=1", "right=2"]


async def test_a_plain_answer_to_several_is_an_error(client: LangGraphClient) -> None:
    thread, _ = await asked(client, "ask_two")
    result: Any = await client.runs.wait(thread, "ask_two", command={"resume": 1}, raise_error=False)
    assert result["__error__"]["error"] == "RuntimeError"


async def test_new_input_drops_the_question(client: LangGraphClient) -> None:
    thread, [first] = await asked(client, "ask")
    state: Any = await client.runs.wait(thread, "ask", input=human_input("again"))
    [second] = state["__interrupt__"]
    assert second["id"] != first["id"]
    assert [message["content"] for message in state["messages"]] == ["go", "again"]


async def test_a_stop_before_a_node_goes_on_without_input(client: LangGraphClient) -> None:
    thread = str(uuid4())
    await client.runs.wait(
        thread, "tools", input=human_input("go"), interrupt_before=["tools"], if_not_exists="create"
    )
    row = await client.threads.get(thread)
    state = await client.threads.get_state(thread)
    assert (row["status"], row["interrupts"], list(state["next"])) == ("interrupted", {}, ["tools"])
    result: Any = await client.runs.wait(thread, "tools", input=None)
    assert result["messages"][-1]["content"] == "It is sunny."
