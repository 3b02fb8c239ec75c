"""What seldom happens in this order, and what must come of it: the database holds up one of two."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import psycopg
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph_sdk.client import LangGraphClient

from parley.server.runs.shared_queues import SharedThreadQueues
from parley.server.storage.interface import PostgresPlace
from parley.server.storage.locks import cluster_lock
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.kit.waiting import until
from tests.postgres.agent_server.conftest import OpenPair, Pair
from tests.postgres.agent_server.test_two_servers import HI, begun, bury_holder, status

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(180)]

_WAIT_FOR_LOCK = "PERFORM pg_advisory_xact_lock_shared(1)"
_MEANWHILE = 100
"""Round trips to the database, in which whoever need not wait has come further."""


@pytest.fixture
async def other(place: PostgresPlace) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """A connection of somebody else, each statement by itself."""
    async with await psycopg.AsyncConnection.connect(place.url, autocommit=True) as connection:
        yield connection


@asynccontextmanager
async def before_each(
    other: psycopg.AsyncConnection[Any], place: PostgresPlace, change: str, do: str
) -> AsyncIterator[None]:
    """Have PostgreSQL do something before each such change of a table."""
    s, table = place.schema, change.rpartition(" ")[2]
    body = f"BEGIN {do}; RETURN coalesce(NEW, OLD); END"
    await other.execute(f"CREATE FUNCTION {s}.gate() RETURNS trigger LANGUAGE plpgsql AS '{body}'".encode())
    await other.execute(
        f"CREATE TRIGGER gate BEFORE {change.replace(table, f'{s}.{table}')}"
        f" FOR EACH ROW EXECUTE FUNCTION {s}.gate()".encode()
    )
    try:
        yield
    finally:
        await other.execute(f"DROP FUNCTION {s}.gate CASCADE".encode())


async def waits_for_lock(other: psycopg.AsyncConnection[Any], event: str) -> None:
    """Return once somebody waits for a lock of this kind."""

    async def found() -> bool:
        sql = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = %s"
        return await (await other.execute(sql, (event,))).fetchone() is not None

    await until(found, f"somebody waits for a {event} lock")


async def heard_by_all(both: Pair) -> None:
    """Return once both servers have heard what was announced before, and have had time to act on it."""
    for app in both.apps:
        lanes: SharedThreadQueues = app.state.services.runs.lanes
        heard = asyncio.Event()
        lanes._cluster.subscribe(topic := f"here-{uuid4().hex}", partial(_hear, heard))
        await lanes._database.write(lanes._cluster.announce(topic, ""))
        async with asyncio.timeout(patience(30)):
            await heard.wait()
        for _ in range(_MEANWHILE):
            await lanes._database.read("SELECT 1")


def _hear(heard: asyncio.Event, _: str) -> None:
    heard.set()


async def test_a_second_stop_does_not_cut_off_what_the_first_one_waits_for(
    pair: OpenPair, place: PostgresPlace, other: psycopg.AsyncConnection[Any]
) -> None:
    """A checkpoint that is being saved comes before the rollback, and not after it."""
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        async with before_each(other, place, "INSERT ON checkpoints", _WAIT_FOR_LOCK):
            await other.execute("SELECT pg_advisory_lock(1)")
            thread = (await a.threads.create())["thread_id"]
            run = await a.runs.create(thread, "gate", input=HI, durability="async")
            await waits_for_lock(other, "advisory")
            for client in (b, a, b):
                await client.runs.cancel(thread, run["run_id"], action="rollback")
            await heard_by_all(both)
            await other.execute("SELECT pg_advisory_unlock(1)")
            await until(lambda: is_gone(b, thread, run["run_id"]), "it is rolled back")
        state: Any = await b.threads.get_state(thread)
        assert not state["values"]
        assert not await b.threads.get_history(thread)


async def is_gone(client: LangGraphClient, thread: str, run: str) -> bool:
    return run not in [each["run_id"] for each in await client.runs.list(thread)]


async def test_a_run_that_is_withdrawn_ends_once(
    pair: OpenPair, place: PostgresPlace, other: psycopg.AsyncConnection[Any]
) -> None:
    """The thread is left to others after that, not while its end is being saved."""
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, first = await begun(a, gate)
        waiting = (await a.runs.create(thread, "gate", input=HI))["run_id"]
        async with other.transaction():
            row = f"SELECT 1 FROM {place.schema}.runs WHERE run_id = %s FOR NO KEY UPDATE"
            await a.runs.cancel(thread, waiting)
            await other.execute(row.encode(), (waiting,))
            gate.open.set()
            await b.runs.join(thread, first)
            await heard_by_all(both)
        await b.runs.join(thread, waiting)
        await heard_by_all(both)
        assert await status(b, thread, waiting) == "interrupted"
        ended = [app.state.services.runs.ended for app in both.apps]
        assert sum(each["interrupted"] for each in ended) == 1


class Walked(TypedDict, total=False):
    steps: Annotated[list[int], operator.add]


async def test_a_server_that_counts_as_dead_takes_no_step_that_it_cannot_save(pair: OpenPair) -> None:
    taken: list[int] = []
    reached, may_go_on = asyncio.Event(), asyncio.Event()

    async def step(state: Walked) -> Walked:
        taken.append(number := len(state["steps"]))
        if number == 1:
            reached.set()
            await may_go_on.wait()
        return {"steps": [number]}

    graph = StateGraph(Walked).add_node("step", step).add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: END if len(state["steps"]) == 10 else "step")
    async with pair({"walk": graph}) as both:
        thread = str(uuid4())
        run = await both.clients[0].runs.create(thread, "walk", input={"steps": []}, if_not_exists="create")
        async with asyncio.timeout(patience(30)):
            await reached.wait()
        await bury_holder(both, thread)
        may_go_on.set()
        await both.clients[1].runs.join(thread, run["run_id"])
        assert await status(both.clients[1], thread, run["run_id"]) == "success"
    assert len(taken) <= 11, "only what was under way is done again"


async def test_a_lock_that_could_not_be_let_go_is_free_once_the_database_is_back(
    place: PostgresPlace, other: psycopg.AsyncConnection[Any]
) -> None:
    async with open_postgres(place, no_index) as mine, open_postgres(place, no_index) as theirs:
        assert mine.cluster is not None
        assert theirs.cluster is not None
        async with before_each(other, place, "DELETE ON locks", "RAISE EXCEPTION $$away$$"):
            async with cluster_lock(mine.cluster, "hold/t"):
                assert not await theirs.cluster.acquire("hold/t")
            assert not await theirs.cluster.acquire("hold/t")
            assert await mine.cluster.acquire("kept"), "what is held again is not let go"
            with pytest.raises(psycopg.Error):
                await mine.cluster.release("kept")
            assert await mine.cluster.acquire("kept")
        cluster = theirs.cluster
        await until(lambda: cluster.acquire("hold/t"), "the other one has it")
        assert not await cluster.acquire("kept")
