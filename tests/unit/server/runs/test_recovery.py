"""What a new process does with what an old one left in the database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from parley.server.options import EmbeddedOptions, ServerLimits
from parley.server.storage.sqlite.database import open_database
from parley.server.storage.tables import RunRow, Tables, add_run, delete_run
from tests.kit.samples import graphs
from tests.unit.server.conftest import Served

PAYLOAD = b'{"assistant_id": "echo", "input": {"messages": [{"role": "user", "content": "hi"}]}}'


@pytest.fixture
def options(tmp_path: Path) -> EmbeddedOptions:
    return EmbeddedOptions(tmp_path / "db", {"echo": graphs.echo, "ask": graphs.ask})


async def left_behind(options: EmbeddedOptions, thread: str, change: Callable[[RunRow], RunRow]) -> None:
    """Make the thread's last run look as a crash would have left it."""
    async with open_database(options.database) as database:
        [row] = await Tables(database).runs_of(thread, "", 1, 0)
        await database.write(delete_run(row.run_id), add_run(change(row)))


async def finished(served: Served, options: EmbeddedOptions, graph: str = "echo") -> tuple[str, str]:
    """A thread with one run that has ended."""
    said: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}
    async with served(options) as client:
        thread = (await client.threads.create())["thread_id"]
        run = await client.runs.create(thread, graph, input=said)
        await client.runs.join(thread, run["run_id"])
        return thread, run["run_id"]


async def state_after(client: LangGraphClient, thread: str, run_id: str) -> Any:  # noqa: ANN401 - any state
    await client.runs.join(thread, run_id)
    return await client.threads.get_state(thread)


async def test_a_run_cut_off_after_its_answer_is_not_answered_again(
    served: Served, options: EmbeddedOptions
) -> None:
    thread, run_id = await finished(served, options)
    await left_behind(options, thread, lambda row: replace(row, status="running", attempt=1, payload=PAYLOAD))
    async with served(options) as client:
        state = await state_after(client, thread, run_id)
        assert [message["content"] for message in state["values"]["messages"]] == ["hi", "You said: hi"]
        assert (await client.runs.get(thread, run_id))["status"] == "success"
        [first, *_, last] = [
            part async for part in client.runs.join_stream(thread, run_id, last_event_id="1")
        ]
    assert (first.data["attempt"], last.data["status"]) == (2, "success")


async def test_a_run_cut_off_at_its_question_asks_the_same_again(
    served: Served, options: EmbeddedOptions
) -> None:
    thread, run_id = await finished(served, options, "ask")
    async with served(options) as client:
        [asked] = (await client.threads.get_state(thread))["interrupts"]
    await left_behind(options, thread, lambda row: replace(row, status="running", attempt=1, payload=PAYLOAD))
    async with served(options) as client:
        [again] = (await state_after(client, thread, run_id))["interrupts"]
    assert again["id"] == asked["id"]


@pytest.mark.parametrize(
    "change",
    [
        lambda row: replace(row, status="running", attempt=3, payload=PAYLOAD),
        lambda row: replace(row, status="running", payload=b"\x00 not what was written"),
        lambda row: replace(row, status="pending", graph_id="gone", payload=PAYLOAD),
    ],
    ids=["crashes too often", "unreadable", "its graph is gone"],
)
async def test_a_run_that_can_never_end_is_given_up(
    served: Served, options: EmbeddedOptions, change: Callable[[RunRow], RunRow]
) -> None:
    options = replace(options, limits=ServerLimits(attempts=3))
    thread, run_id = await finished(served, options)
    await left_behind(options, thread, change)
    async with served(options) as client:
        await client.runs.join(thread, run_id)
        assert (await client.runs.get(thread, run_id))["status"] == "error"
        said: dict[str, Any] = {"messages": [("user", "again")]}
        state: Any = await client.runs.wait(thread, "echo", input=said)
        assert state["messages"][-1]["content"] == "You said: again"
