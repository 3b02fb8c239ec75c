"""Threads, assistants, state and the store."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIStatusError, BadRequestError, ConflictError, NotFoundError

from tests.conformance.served.graphs import NAMES
from tests.conformance.servers import Server
from tests.conformance.stream_helpers import human_input, texts


@pytest.fixture
def thread() -> str:
    return str(uuid4())


async def test_a_thread_is_made_once(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread, metadata={"a": 1})
    again = await client.threads.create(thread_id=thread, if_exists="do_nothing", metadata={"b": 2})
    assert again["metadata"].get("a") == 1  # type: ignore[union-attr]
    assert "b" not in again["metadata"]  # type: ignore[operator]
    with pytest.raises(ConflictError):
        await client.threads.create(thread_id=thread)


async def test_threads_are_found_by_their_metadata(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread, metadata={"chat": thread, "nested": {"x": [1, True]}})
    await client.threads.update(thread, metadata={"more": True})
    for metadata in ({"chat": thread}, {"chat": thread, "more": True}):
        found = await client.threads.search(metadata=metadata)
        assert [row["thread_id"] for row in found] == [thread]
    assert not await client.threads.search(metadata={"chat": thread, "more": False})


async def test_a_deleted_thread_is_gone(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(thread, "echo", input=human_input("hi"), if_not_exists="create")
    await client.threads.delete(thread)
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)
    await client.runs.wait(thread, "echo", input=human_input("new"), if_not_exists="create")
    assert texts(await client.threads.get_state(thread)) == ["new", "You said: new"]


async def test_a_run_may_make_its_thread(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(
        thread, "echo", input=human_input("hi"), if_not_exists="create", metadata={"from": "chat"}
    )
    row = await client.threads.get(thread)
    assert (row["metadata"] or {}).get("from") == "chat"
    assert (row["metadata"] or {}).get("graph_id") == "echo"
    assert row["values"]["messages"][0]["content"] == "hi"  # type: ignore[index]


async def test_runs_are_listed_with_their_metadata(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    made = await client.runs.create(thread, "echo", input=human_input("hi"), metadata={"turn": "t1"})
    await client.runs.join(thread, made["run_id"])
    [run] = await client.runs.list(thread)
    assert (run["run_id"], run["status"], run["metadata"]["turn"]) == (made["run_id"], "success", "t1")  # type: ignore[index]


async def test_unknown_assistants_and_odd_ids_are_refused(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    with pytest.raises(APIStatusError) as refused:
        await client.runs.create(thread, "nobody", input=human_input("hi"))
    assert refused.value.response.status_code in (404, 422)
    with pytest.raises(APIStatusError) as refused:
        await client.threads.get("not-a-uuid")
    assert refused.value.response.status_code in (400, 422)


async def test_context_reaches_the_graph_and_cannot_pretend(client: LangGraphClient, thread: str) -> None:
    state: Any = await client.runs.wait(
        thread,
        "who",
        input=human_input("hi"),
        context={"user_id": "u1", "thread_id": "spoofed", "unknown": 1},
        metadata={"note": "n1"},
        if_not_exists="create",
    )
    assert state["messages"][-1]["content"] == f"user=u1 thread={thread} note=n1"


async def test_configurable_is_the_older_way_to_the_same(client: LangGraphClient, thread: str) -> None:
    state: Any = await client.runs.wait(
        thread,
        "who",
        input=human_input("hi"),
        config={"configurable": {"user_id": "u2"}},
        if_not_exists="create",
    )
    assert state["messages"][-1]["content"] == f"user=u2 thread={thread} note=None"
    with pytest.raises(BadRequestError):
        await client.runs.create(
            thread, "who", input=human_input("hi"), config={"configurable": {"a": 1}}, context={"b": 2}
        )


async def test_a_message_sent_again_is_not_doubled(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(thread, "echo", input=human_input("hi", "m1"), if_not_exists="create")
    await client.runs.wait(thread, "echo", input=human_input("changed", "m1"))
    assert texts(await client.threads.get_state(thread))[:2] == ["changed", "You said: hi"]


async def test_state_can_be_changed_and_looked_back_at(client: LangGraphClient, thread: str) -> None:
    await client.runs.wait(thread, "echo", input=human_input("hi"), if_not_exists="create")
    before = await client.threads.get_state(thread)
    made = await client.threads.update_state(thread, human_input("by hand"), as_node="model")
    state = await client.threads.get_state(thread, select=["values.messages"])
    assert texts(state)[-1] == "by hand"
    assert made["checkpoint"]["checkpoint_id"] == state["checkpoint"]["checkpoint_id"]
    history = await client.threads.get_history(thread, limit=2)
    assert [each["checkpoint"]["checkpoint_id"] for each in history] == [
        state["checkpoint"]["checkpoint_id"],
        before["checkpoint"]["checkpoint_id"],
    ]
    old = await client.threads.get_state(thread, checkpoint_id=str(before["checkpoint"]["checkpoint_id"]))
    assert texts(old) == ["hi", "You said: hi"]


async def test_an_empty_thread_has_an_empty_state(client: LangGraphClient, thread: str) -> None:
    await client.threads.create(thread_id=thread)
    state = await client.threads.get_state(thread)
    assert (state["values"] or {}, list(state["next"])) == ({}, [])


async def test_every_graph_has_an_assistant(client: LangGraphClient, server: Server) -> None:
    found = await client.assistants.search(limit=100)
    assert {each["graph_id"] for each in found} == set(NAMES)
    wanted = str(uuid5(UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8"), "echo"))
    assert (await client.assistants.get(wanted))["graph_id"] == "echo"
    if server.can.assistants_by_name:
        assert (await client.assistants.get("echo"))["assistant_id"] == wanted
    with pytest.raises(NotFoundError):
        await client.assistants.get(str(uuid4()))


async def test_the_store_keeps_items(client: LangGraphClient) -> None:
    people = ("people", str(uuid4()))
    await client.store.put_item(people, "ada", {"likes": "tea", "age": 36})
    await client.store.put_item((*people, "pets"), "rex", {"likes": "bones"})
    assert (await client.store.get_item(people, "ada"))["value"] == {"likes": "tea", "age": 36}
    found = await client.store.search_items(people, filter={"likes": "tea"})
    assert [item["key"] for item in found["items"]] == ["ada"]
    assert len((await client.store.search_items(people))["items"]) == 2
    listed = await client.store.list_namespaces(prefix=list(people))
    assert sorted(map(tuple, listed["namespaces"])) == [people, (*people, "pets")]
    await client.store.delete_item(people, "ada")
    assert not (await client.store.search_items(people, filter={"likes": "tea"}))["items"]
