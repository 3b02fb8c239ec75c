"""kill -9 at any moment loses nothing that was acknowledged."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamPart

from tests.kit.doubles.killable_server import KEY, STEPS, allow, server
from tests.kit.waiting import until


@asynccontextmanager
async def killed(folder: Path) -> AsyncIterator[LangGraphClient]:
    """A client of a server that is killed in the end."""
    with server(folder) as (url, process):
        async with get_client(url=url, api_key=KEY) as client:
            yield client
            process.kill()


async def follow(
    client: LangGraphClient, thread: str, run_id: str, after: str, steps: int
) -> list[StreamPart]:
    """A run's events after one, until it took some steps."""
    stream: Any = client.runs.join_stream(thread, run_id, last_event_id=after)
    parts: list[StreamPart] = []
    async for part in stream:
        parts.append(part)
        if sum(each.event == "values" for each in parts) > steps:
            break
    await stream.aclose()
    return parts


async def saved(client: LangGraphClient, thread: str, steps: int) -> bool:
    """Whether the state after so many steps would survive a kill."""
    state: Any = await client.threads.get_state(thread)
    return len(state["values"]["steps"]) >= steps


async def test_a_run_goes_on_from_its_last_checkpoint_after_every_kill(tmp_path: Path) -> None:
    thread, rounds, last = str(uuid4()), 3, "0"
    allow(tmp_path, 0)
    async with killed(tmp_path) as client:
        run = await client.runs.create(thread, "walk", input={"steps": []}, if_not_exists="create")
        queued = await client.runs.create(thread, "walk", input={"steps": []}, multitask_strategy="enqueue")
    for number in range(rounds):
        allow(tmp_path, 2 * number + 2)  # it stands there until it is killed
        async with killed(tmp_path) as client:
            parts = await follow(client, thread, run["run_id"], last, steps=2)
            ids = [int(part.id or 0) for part in parts]
            assert parts[0].event == "metadata", "a new attempt is told from its beginning"
            assert ids == sorted(set(ids))
            assert ids[0] > int(last)
            last = str(ids[-1])
            # A checkpoint is written while the next step is taken already, and a slow disk is late with it.
            await until(partial(saved, client, thread, 2 * number + 2), "they are on disk")
    allow(tmp_path, 2 * STEPS)
    async with killed(tmp_path) as client:
        await client.runs.join(thread, queued["run_id"])
        state: Any = await client.threads.get_state(thread)
        runs = await client.runs.list(thread)
    assert state["values"]["steps"] == list(range(2 * STEPS))
    assert [each["status"] for each in runs] == ["success", "success"]
    taken = [int(line) for line in (tmp_path / "log").read_text().split()]
    assert sorted(set(taken)) == list(range(2 * STEPS))
    assert len(taken) <= 2 * STEPS + rounds + 1, "only what was under way is done again"


async def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    thread = str(uuid4())
    async with killed(tmp_path) as client:
        await client.runs.wait(thread, "walk", input={"steps": []}, if_not_exists="create")
        await client.threads.update(thread, metadata={"topic": "tea"})
        await client.store.put_item(("people",), "ada", {"likes": "tea"})
    async with killed(tmp_path) as client:
        row = await client.threads.get(thread)
        item = await client.store.get_item(("people",), "ada")
        [run] = await client.runs.list(thread)
    assert (row["status"], row["values"], row["metadata"]["topic"]) == (  # type: ignore[index]
        "idle",
        {"steps": list(range(STEPS))},
        "tea",
    )
    assert item["value"] == {"likes": "tea"}
    assert run["status"] == "success"
