"""A server dies, or stands still, in the middle of a run: another one goes on with it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from benchmarks.kit.postgres_cluster import Cluster
from parley.server.storage.interface import PostgresPlace
from tests.kit.doubles.killable_server import KEY, STEPS, allow, server
from tests.kit.machine import patience
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(200)]

HALF = STEPS // 2


@contextmanager
def two_servers(
    folder: Path, place: PostgresPlace
) -> Iterator[list[tuple[LangGraphClient, ForkServerProcess]]]:
    """A client of each of two servers, and their processes."""
    with ExitStack() as stack:
        made = [stack.enter_context(server(folder, place)) for _ in range(2)]
        yield [(get_client(url=url, api_key=KEY), process) for url, process in made]


def taken(folder: Path) -> list[int]:
    """The steps that were really taken, in their order."""
    log = folder / "log"
    return [int(line) for line in log.read_text().split()] if log.exists() else []


async def saved(client: LangGraphClient, thread: str, steps: int) -> bool:
    state: Any = await client.threads.get_state(thread)
    return len(state["values"].get("steps", [])) >= steps


async def serves(client: LangGraphClient) -> bool:
    """Whether a server may write: one that woke up finds first that others have its runs."""
    try:
        await client.threads.create()
    except httpx.HTTPStatusError:
        return False
    return True


async def told_elsewhere(client: LangGraphClient, thread: str, run: str, step: int) -> None:
    """Wait until a server has heard of a step that another one has taken."""
    async with asyncio.timeout(patience(20)):
        async for part in client.runs.join_stream(thread, run, last_event_id="0"):
            if part.event == "updates" and part.data["step"]["steps"] == [step]:
                return


async def halfway(folder: Path, client: LangGraphClient) -> tuple[str, str, str]:
    """A thread whose first run waits in its middle, and whose second waits for the first."""
    allow(folder, HALF)
    thread = str(uuid4())
    first = await client.runs.create(
        thread, "walk", input={"steps": []}, if_not_exists="create", stream_mode=["updates", "values"]
    )
    second = await client.runs.create(thread, "walk", input={"steps": []}, multitask_strategy="enqueue")
    await until(lambda: len(taken(folder)) == HALF, "it has come to its middle")
    await until(partial(saved, client, thread, HALF), "that would survive a kill")
    return thread, first["run_id"], second["run_id"]


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP])
async def test_another_server_goes_on_with_what_one_has_left(
    tmp_path: Path, place: PostgresPlace, blow: signal.Signals
) -> None:
    saved_as_it_died = HALF - 1
    with two_servers(tmp_path, place) as [(a, process), (b, _)]:
        async with a, b:
            thread, first, second = await halfway(tmp_path, a)
            # What it streams in its last moment may be lost: that is the step which waits for more, at most.
            await told_elsewhere(b, thread, first, saved_as_it_died - 1)
            os.kill(process.pid or 0, blow)
            allow(tmp_path, 3 * STEPS)
            parts = [part async for part in b.runs.join_stream(thread, first, last_event_id="0")]
            await b.runs.join(thread, second)
            if blow == signal.SIGSTOP:
                os.kill(process.pid or 0, signal.SIGCONT)
                await until(partial(serves, a), "it is one of the servers again")
                await a.runs.wait(thread, "walk", input={"steps": []})
            state: Any = await b.threads.get_state(thread)
            statuses = {run["status"] for run in await b.runs.list(thread)}
    assert statuses == {"success"}
    assert [part.data["attempt"] for part in parts if part.event == "metadata"] == [1, 2]
    told = [part.data["step"]["steps"][0] for part in parts if part.event == "updates"]
    assert [step for step in told if step != saved_as_it_died] == [
        step for step in range(STEPS) if step != saved_as_it_died
    ], "who follows it sees each step once"
    goes_on = next(at for at, part in enumerate(parts) if part.data.get("attempt") == 2)
    values = next(part.data["steps"] for part in parts[goes_on:] if part.event == "values")
    assert values == list(range(HALF)), "and what was saved of it"
    assert told.count(saved_as_it_died) <= 1, (
        "the one whose checkpoint was kept before its events, at most once"
    )
    rounds = 3 if blow == signal.SIGSTOP else 2
    assert state["values"]["steps"] == list(range(rounds * STEPS))
    assert len(taken(tmp_path)) <= rounds * STEPS + 1, "only what was under way is done again"


async def test_a_server_that_is_stopped_leaves_its_run_at_once(tmp_path: Path, place: PostgresPlace) -> None:
    with two_servers(tmp_path, place) as [(a, process), (b, _)]:
        async with a, b:
            thread, first, second = await halfway(tmp_path, a)
            os.kill(process.pid or 0, signal.SIGTERM)
            allow(tmp_path, 2 * STEPS)
            await b.runs.join(thread, second)
            assert (await b.runs.get(thread, first))["status"] == "success"
            state: Any = await b.threads.get_state(thread)
            assert state["values"]["steps"] == list(range(2 * STEPS))


async def test_a_run_goes_on_when_the_database_is_back(
    tmp_path: Path, cluster: Cluster, place: PostgresPlace
) -> None:
    with server(tmp_path, place) as (url, _):
        async with get_client(url=url, api_key=KEY) as client:
            thread, first, second = await halfway(tmp_path, client)
            cluster.stop("immediate")
            allow(tmp_path, HALF + 1)
            await until(lambda: len(taken(tmp_path)) > HALF, "it has taken a step that cannot be saved")
            cluster.start()
            allow(tmp_path, 2 * STEPS)
            await until(partial(serves, client), "the database is back")
            await client.runs.join(thread, second)
            assert (await client.runs.get(thread, first))["status"] == "success"
            state: Any = await client.threads.get_state(thread)
            assert state["values"]["steps"] == list(range(2 * STEPS))
