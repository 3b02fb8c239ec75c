"""Assistants that clients make: graphs with settings of their own, in versions."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, NotFoundError

from tests.conformance.servers import Server
from tests.conformance.stream_helpers import human_input


@pytest.fixture
def name() -> str:
    return f"Desk {uuid4()}"


async def test_an_assistant_has_settings_that_its_runs_use(client: LangGraphClient, name: str) -> None:
    made = await client.assistants.create("who", context={"user_id": "of-desk"}, name=name)
    state: Any = await client.runs.wait(None, made["assistant_id"], input=human_input("hi"))
    assert state["messages"][-1]["content"].startswith("user=of-desk ")
    state = await client.runs.wait(
        None, made["assistant_id"], input=human_input("hi"), context={"user_id": "of-run"}
    )
    assert state["messages"][-1]["content"].startswith("user=of-run ")


async def test_threads_and_runs_say_whose_they_are(client: LangGraphClient, name: str) -> None:
    made = await client.assistants.create("echo", name=name)
    thread, mine = str(uuid4()), made["assistant_id"]
    await client.runs.wait(thread, mine, input=human_input("hi"), if_not_exists="create")
    [run] = await client.runs.list(thread)
    found = await client.threads.get(thread)
    assert run["assistant_id"] == mine
    assert (found["metadata"] or {})["assistant_id"] == mine
    await client.assistants.delete(mine, delete_threads=True)
    with pytest.raises(NotFoundError):
        await client.threads.get(thread)


async def test_each_change_is_a_version_and_one_is_in_effect(
    client: LangGraphClient, server: Server, name: str
) -> None:
    one: Any = {"configurable": {"user_id": "one"}}
    two: Any = {"configurable": {"user_id": "two"}}
    made = await client.assistants.create("who", config=one, metadata={"a": 1}, name=name)
    mine = made["assistant_id"]
    second = await client.assistants.update(mine, config=two, metadata={"b": 2})
    assert (second["version"], second["metadata"]) == (2, {"a": 1, "b": 2})
    versions = await client.assistants.get_versions(mine)
    assert [each["version"] for each in versions] == [2, 1]
    assert (await client.assistants.set_latest(mine, 1))["version"] == 1
    state: Any = await client.runs.wait(None, mine, input=human_input("hi"))
    assert state["messages"][-1]["content"].startswith(
        "user=one " if server.can.runs_older_versions else "user="
    )
    third = await client.assistants.update(mine, name=f"{name} again")
    assert (third["version"], third["config"]["configurable"]["user_id"]) == (3, "one")


async def test_assistants_are_found_sorted_and_counted(client: LangGraphClient, name: str) -> None:
    made = [
        await client.assistants.create("echo", name=f"{name} {letter}", metadata={"desk": name})
        for letter in "ba"
    ]
    found = await client.assistants.search(metadata={"desk": name}, sort_by="name", sort_order="asc")
    assert [each["name"][-1] for each in found] == ["a", "b"]
    assert await client.assistants.count(metadata={"desk": name}, graph_id="echo") == 2
    assert await client.assistants.count(metadata={"desk": name}, graph_id="who") == 0
    page = await client.assistants.search(metadata={"desk": name}, limit=1, response_format="object")
    assert page["next"] is not None
    await client.assistants.delete(made[0]["assistant_id"])
    left: list[Any] = await client.assistants.search(name=f"{name} a", select=["assistant_id"])
    assert left == [{"assistant_id": made[1]["assistant_id"]}]


async def test_one_that_exists_is_kept_or_refused(client: LangGraphClient, name: str) -> None:
    mine = str(uuid4())
    await client.assistants.create("echo", assistant_id=mine, name=name)
    again = await client.assistants.create("who", assistant_id=mine, name="other", if_exists="do_nothing")
    assert (again["graph_id"], again["name"]) == ("echo", name)
    with pytest.raises(ConflictError):
        await client.assistants.create("who", assistant_id=mine)
    await client.assistants.delete(mine)
    with pytest.raises(NotFoundError):
        await client.assistants.update(mine, name="gone")


async def test_a_graph_is_drawn_with_what_is_in_it(client: LangGraphClient, name: str) -> None:
    made = await client.assistants.create("sub", name=name)
    flat = await client.assistants.get_graph(made["assistant_id"])
    deep = await client.assistants.get_graph(made["assistant_id"], xray=True)
    assert {"nodes", "edges"} <= flat.keys()
    assert "researcher:inner" in {node["id"] for node in deep["nodes"]} - {
        node["id"] for node in flat["nodes"]
    }
    found = await client.assistants.get_subgraphs(made["assistant_id"])
    [(place, schemas)] = found.items()
    assert (await client.assistants.get_subgraphs(made["assistant_id"], place)).keys() == found.keys()
    assert "messages" in (schemas["input_schema"] or {})["properties"]
    own = await client.assistants.get_schemas(made["assistant_id"])
    assert "messages" in (own["state_schema"] or {})["properties"]
