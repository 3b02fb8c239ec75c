"""What one server makes another one follows, joins, stops and answers for."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError

from parley.server.graphs.registry import Graph
from parley.server.runs.payload import CancelAction
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.kit.waiting import until
from tests.postgres.agent_server.conftest import OpenPair, Pair

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(180)]

HI: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}]}


class Turnstile:
    """A graph that counts who is in it at once, and who was."""

    def __init__(self) -> None:
        self.inside = self.most = self.total = 0

    def graph(self) -> Graph:
        async def node(state: MessagesState) -> dict[str, Any]:
            self.inside += 1
            self.total += 1
            self.most = max(self.most, self.inside)
            await asyncio.sleep(0.01)
            self.inside -= 1
            return {"messages": [AIMessage(f"number {self.total}")]}

        return StateGraph(MessagesState).add_node("n", node).add_edge(START, "n").compile()


async def begun(client: LangGraphClient, gate: graphs.Gate) -> tuple[str, str]:
    """A run that waits at a gate: its thread, and itself."""
    asked: Any = {"stream_mode": ["custom", "updates"], "stream_resumable": True}
    gate.reached.clear()
    thread = str(uuid4())
    run = await client.runs.create(thread, "gate", input=HI, if_not_exists="create", **asked)
    async with asyncio.timeout(patience(30)):
        await gate.reached.wait()
    return thread, run["run_id"]


async def status(client: LangGraphClient, thread: str, run: str) -> str:
    return (await client.runs.get(thread, run))["status"]


async def test_a_run_of_one_server_is_streamed_and_joined_at_another(pair: OpenPair) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, run = await begun(a, gate)
        seen: list[Any] = []

        async def follow(client: LangGraphClient, after: str | None = None) -> list[Any]:
            return [part async for part in client.runs.join_stream(thread, run, last_event_id=after)]

        stream: Any = b.runs.join_stream(thread, run)
        async for part in stream:
            seen.append(part)
            if part.event == "custom":
                break
        await stream.aclose()
        rest = asyncio.create_task(follow(b, seen[-1].id))
        gate.open.set()
        seen += await rest
        assert [part.event for part in seen] == ["metadata", "custom", "updates", "end"]
        assert seen == await follow(a), "event for event as at the server that executed it"
        values: Any = await b.runs.join(thread, run)
        assert values["messages"][-1]["content"] == "through"
        assert (await b.threads.get(thread))["status"] == "idle"


@pytest.mark.parametrize("action", ["interrupt", "rollback"])
async def test_a_run_of_one_server_is_stopped_at_another(pair: OpenPair, action: CancelAction) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, run = await begun(a, gate)
        waiting = await b.runs.create(thread, "gate", input=HI)
        await b.runs.cancel(thread, waiting["run_id"], wait=True)
        assert await status(a, thread, waiting["run_id"]) == "interrupted", "it need not wait for its turn"
        await b.runs.cancel(thread, run, wait=True, action=action)
        left = [each["run_id"] for each in await a.runs.list(thread)]
        assert (run in left) == (action == "interrupt")
        state: Any = await b.threads.get_state(thread)
        assert bool(state["values"]) == (action == "interrupt")


async def test_a_thread_has_one_run_at_a_time_whoever_admits_it(pair: OpenPair) -> None:
    turnstile = Turnstile()
    async with pair({"t": turnstile.graph()}) as both:
        thread = (await both.clients[0].threads.create())["thread_id"]
        made = await asyncio.gather(
            *(both.clients[n % 2].runs.create(thread, "t", input=HI) for n in range(20))
        )
        await asyncio.gather(
            *(both.clients[(n + 1) % 2].runs.join(thread, run["run_id"]) for n, run in enumerate(made))
        )
        runs = await both.clients[0].runs.list(thread, limit=30)
        assert [run["status"] for run in runs] == ["success"] * 20
        assert (turnstile.most, turnstile.total) == (1, 20)
        state: Any = await both.clients[1].threads.get_state(thread)
        assert len(state["values"]["messages"]) == 40


async def test_who_comes_to_a_busy_thread_is_told_so_at_each_server(pair: OpenPair) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, run = await begun(a, gate)
        with pytest.raises(ConflictError):
            await b.runs.create(thread, "gate", input=HI, multitask_strategy="reject")
        with pytest.raises(ConflictError):
            await b.threads.update_state(thread, HI)
        instead = await b.runs.create(thread, "gate", input=HI, multitask_strategy="interrupt")
        gate.open.set()
        await b.runs.join(thread, instead["run_id"])
        assert await status(b, thread, run) == "interrupted"
        assert await status(a, thread, instead["run_id"]) == "success"


async def test_a_thread_is_watched_at_another_server(pair: OpenPair) -> None:
    async with pair({"echo": graphs.echo}) as both:
        a, b = both.clients
        thread = (await a.threads.create())["thread_id"]
        first = await a.runs.create(thread, "echo", input=HI)
        await a.runs.join(thread, first["run_id"])
        seen: list[Any] = []

        async def watch() -> None:
            stream = await b.threads.join_stream(thread, last_event_id="-")
            async for part in stream:
                seen.append(part)  # noqa: PERF401 - one by one

        watching = asyncio.create_task(watch())
        ends = lambda: sum(part.event == "end" for part in seen)  # noqa: E731
        await until(lambda: ends() == 1, "what was kept has come")
        second = await a.runs.create(thread, "echo", input=HI)
        await until(lambda: ends() == 2, "the next run has come, too")
        watching.cancel()
        runs = [part.id.partition(":")[0] for part in seen]
        assert runs == sorted(runs, key=[first["run_id"], second["run_id"]].index)


async def test_a_run_without_a_thread_is_joined_at_another_server(pair: OpenPair) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        run = await a.runs.create(None, "gate", input=HI)
        joining = asyncio.create_task(b.runs.join(run["thread_id"], run["run_id"]))
        await asyncio.sleep(0)
        gate.open.set()
        values: Any = await joining
        assert values["messages"][-1]["content"] == "through"


async def test_a_thread_is_deleted_at_another_server(pair: OpenPair) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, _ = await begun(a, gate)
        await a.runs.create(thread, "gate", input=HI, after_seconds=3600)
        await b.threads.delete(thread)
        assert await a.threads.search(ids=[thread]) == []
        with psycopg.connect(both.place.url) as connection:
            for table in ("runs", "checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                count = connection.execute(f"SELECT count(*) FROM {both.place.schema}.{table}".encode())
                assert count.fetchone() == (0,), table


async def test_assistants_and_items_are_everybodys(pair: OpenPair) -> None:
    async with pair({"echo": graphs.echo}) as both:
        a, b = both.clients
        made = await a.assistants.create("echo", name="Ada", metadata={"team": "tea"})
        assert (await b.assistants.get(made["assistant_id"]))["name"] == "Ada"
        await asyncio.gather(
            *(each.assistants.update(made["assistant_id"], name="Bo") for each in (a, b) * 3)
        )
        assert len(await a.assistants.get_versions(made["assistant_id"])) == 7
        await until(partial(_has_version, b, made["assistant_id"], 7), "the other one has heard of it")
        await a.store.put_item(("people",), "ada", {"likes": "tea"})
        assert (await b.store.get_item(("people",), "ada"))["value"] == {"likes": "tea"}
        found = await b.store.search_items(("people",), filter={"likes": "tea"})
        assert [each["key"] for each in found["items"]] == ["ada"]


async def _has_version(client: LangGraphClient, assistant: str, version: int) -> bool:
    return (await client.assistants.get(assistant))["version"] == version


async def test_a_cron_makes_one_run_of_all_servers(pair: OpenPair) -> None:
    async with pair({"echo": graphs.echo}) as both:
        a, b = both.clients
        thread = (await a.threads.create())["thread_id"]
        cron: Any = await a.crons.create_for_thread(thread, "echo", schedule="0 0 1 1 *", input=HI)
        with psycopg.connect(both.place.url, autocommit=True) as connection:
            late = f"UPDATE {both.place.schema}.crons SET next_run = 1"
            connection.execute(late.encode())
        services = [app.state.services for app in both.apps]
        await asyncio.gather(*(each.crons.run_due() for each in services * 5))
        assert len(await b.runs.list(thread)) == 1
        assert len(await b.crons.search(thread_id=thread)) == 1, cron


async def test_a_server_that_was_away_too_long_has_lost_its_runs(pair: OpenPair) -> None:
    gate = graphs.Gate()
    async with pair({"gate": gate.graph()}) as both:
        a, b = both.clients
        thread, run = await begun(a, gate)
        gate.reached.clear()
        await bury_holder(both, thread)
        async with asyncio.timeout(patience(60)):
            await gate.reached.wait()  # it is begun again, by whoever is first
        gate.open.set()
        for client in (a, b):
            values: Any = await client.runs.join(thread, run)
            assert [each["content"] for each in values["messages"]] == ["hi", "through"]
        assert await status(b, thread, run) == "success"


async def bury_holder(both: Pair, thread: str) -> None:
    """Do what another server does about one that has not shown that it lives."""
    # It waits for what that one is just writing, and so must not hold up its loop.
    async with await psycopg.AsyncConnection.connect(both.place.url, autocommit=True) as connection:
        s = both.place.schema
        gone = f"DELETE FROM {s}.nodes WHERE name = (SELECT node FROM {s}.locks WHERE name = %s)"
        assert (await connection.execute(gone.encode(), (f"work/{thread}",))).rowcount == 1


async def test_a_run_that_was_put_off_is_executed_by_who_is_left(pair: OpenPair) -> None:
    async with pair({"echo": graphs.echo}) as both:
        a, b = both.clients
        thread = (await a.threads.create())["thread_id"]
        run = await a.runs.create(thread, "echo", input=HI, after_seconds=1)
        await both.apps[0].state.services.runs.lanes.close()
        await until(partial(_is, b, thread, run["run_id"], "success"), "the other one has executed it")


async def _is(client: LangGraphClient, thread: str, run: str, wanted: str) -> bool:
    return await status(client, thread, run) == wanted
