"""Threads: what is copied, forgotten and changed is so wholly, and no run begins with nothing unasked."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langgraph.graph import START, StateGraph
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import InternalServerError, NotFoundError, UnprocessableEntityError

from parley.server.options import DefaultAgentOptions, EmbeddedOptions, ServerLimits
from parley.server.workspace.workspaces import Workspaces
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.conftest import Served
from tests.unit.server.test_app import HI

TABLES = ("threads", "runs", "checkpoints", "writes", "crons")


def _add(known: int, more: int) -> int:
    if more < 0:
        raise ArithmeticError("nothing is taken away")
    return known + more


class Sum(TypedDict):
    """A state whose reducer refuses something."""

    total: Annotated[int, _add]


_BUILDER: Any = StateGraph(Sum)
SUM = _BUILDER.add_node("sum", lambda _: {"total": 1}).add_edge(START, "sum").compile()


@pytest.fixture
def options(tmp_path: Path) -> EmbeddedOptions:
    return EmbeddedOptions(tmp_path / "agent.sqlite", {"echo": graphs.echo, "sum": SUM})


async def talked(client: LangGraphClient, turns: int = 1) -> str:
    thread = str(uuid4())
    for _ in range(turns):
        await client.runs.wait(thread, "echo", input=HI, if_not_exists="create")
    return thread


async def messages_of(client: LangGraphClient, thread: str) -> int:
    state: Any = await client.threads.get_state(thread)
    return len(state["values"]["messages"])


def left(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(database)) as opened, opened:
        return {name: opened.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES}


async def test_a_run_at_a_checkpoint_that_is_not_there_is_refused(
    served: Served, options: EmbeddedOptions
) -> None:
    async with served(options) as client:
        runs: Any = client.runs
        thread, other = await talked(client), await talked(client)
        state: Any = await client.threads.get_state(other)
        elsewhere = state["checkpoint"]["checkpoint_id"]
        for checkpoint in (str(uuid4()), elsewhere, "x"):
            with pytest.raises(NotFoundError, match="Checkpoint"):
                await runs.create(thread, "echo", input=HI, checkpoint_id=checkpoint)
            with pytest.raises(NotFoundError, match="Checkpoint"):
                await runs.create(thread, "echo", input=HI, checkpoint={"checkpoint_id": checkpoint})
            with pytest.raises(NotFoundError, match="Checkpoint"):
                await client.threads.update_state(thread, HI, checkpoint_id=checkpoint)
        with pytest.raises(NotFoundError, match="Checkpoint"):
            await runs.create(None, "echo", input=HI, checkpoint_id=elsewhere)
        assert len(await client.runs.list(thread)) == 1
        assert await messages_of(client, thread) == 2


async def test_each_parent_that_is_named_can_be_gone_back_to(
    served: Served, options: EmbeddedOptions
) -> None:
    options = replace(options, limits=ServerLimits(checkpoints=4))
    async with served(options) as client:
        thread = await talked(client, turns=3)
        await asyncio.sleep(0)
        async with asyncio.timeout(patience(30)):
            await client.threads.prune([thread], strategy="keep_latest")
        for state in await client.threads.get_history(thread):
            for place in filter(None, (state["checkpoint"], state["parent_checkpoint"])):
                again = await client.threads.get_state(thread, place)
                assert again["checkpoint"]["checkpoint_id"] == place["checkpoint_id"]
        assert await messages_of(client, thread) == 6


async def test_a_scheduled_run_whose_checkpoint_went_meanwhile_fails(
    served: Served, options: EmbeddedOptions
) -> None:
    async with served(options) as client:
        thread = await talked(client)
        history: Any = await client.threads.get_history(thread)
        first = history[-1]["checkpoint"]
        runs: Any = client.runs
        run = await runs.create(thread, "echo", input=HI, checkpoint=first, after_seconds=1)
        assert (await client.threads.prune([thread], strategy="keep_latest"))["pruned_count"] == 1
        ended: Any = await client.runs.join(thread, run["run_id"])
        assert "Checkpoint" in ended["__error__"]["message"]
        assert await messages_of(client, thread) == 2


async def test_an_update_that_a_reducer_refuses_says_why(served: Served, options: EmbeddedOptions) -> None:
    async with served(options) as client:
        thread = (await client.threads.create(graph_id="sum"))["thread_id"]
        await client.threads.update_state(thread, {"total": 2}, as_node="sum")
        for wrong, said in (({"total": -1}, "nothing is taken away"), ({"total": "x"}, "TypeError")):
            with pytest.raises(UnprocessableEntityError, match=said):
                await client.threads.update_state(thread, wrong, as_node="sum")
        assert (await client.threads.get_state(thread))["values"] == {"total": 2}


async def test_one_graph_that_cannot_be_made_hides_no_other_thread(
    served: Served, options: EmbeddedOptions
) -> None:
    sources = {"echo": graphs.echo, "broken": graphs.broken_factory}
    async with served(replace(options, graphs=sources)) as client:
        thread = await talked(client)
        broken = (await client.threads.create(graph_id="broken"))["thread_id"]
        found: Any = {each["thread_id"]: each["values"] for each in await client.threads.search()}
        assert len(found[thread]["messages"]) == 2
        assert found[broken] == {}
        with pytest.raises(InternalServerError, match="broken cannot be made: LookupError"):
            await client.threads.get_state(broken)
        with pytest.raises(InternalServerError, match="broken cannot be made: LookupError"):
            await client.assistants.get_graph("broken")


async def test_a_copy_has_the_files_and_is_not_the_same(
    served: Served, options: EmbeddedOptions, tmp_path: Path
) -> None:
    spaces = Workspaces(tmp_path / "workspaces")
    agent = DefaultAgentOptions(workspaces=spaces)
    async with served(replace(options, default_agent=agent)) as client:
        thread, bare = await talked(client), await talked(client)
        folder = spaces.of(thread)
        folder.write("/out/deep/a.txt", b"one")
        (folder.root / "link").symlink_to("/etc/passwd")
        made: Any = await client.http.post(f"/threads/{thread}/copy", json={})
        copied = spaces.of(made["thread_id"])
        assert [each.path for each in copied.walk()] == ["/out", "/out/deep", "/out/deep/a.txt"]
        copied.write("/out/deep/a.txt", b"two")
        assert folder.read("/out/deep/a.txt") == b"one"
        await client.http.post(f"/threads/{bare}/copy", json={})
        await client.threads.delete(thread)
        assert copied.read("/out/deep/a.txt") == b"two"
        assert not (spaces.root / thread).exists()


async def test_files_belong_to_a_thread(served: Served, options: EmbeddedOptions, tmp_path: Path) -> None:
    spaces = Workspaces(tmp_path / "workspaces")
    agent = DefaultAgentOptions(workspaces=spaces)
    async with served(replace(options, default_agent=agent)) as client:
        http, thread = client.http.client, str(uuid4())
        for address in (f"/threads/{thread}/uploads/list", f"/threads/{thread}/artifacts/a"):
            assert (await http.get(address)).status_code == 404
        assert not spaces.root.exists()
        sent = await http.post(f"/threads/{thread}/uploads", files={"files": ("a.txt", b"one")})
        assert sent.json()["files"][0]["virtual_path"] == "/uploads/a.txt"
        await client.threads.delete(thread)
        assert (await http.get(f"/threads/{thread}/artifacts/uploads/a.txt")).status_code == 404
        assert not list(spaces.root.iterdir())


@pytest.mark.usefixtures("sqlite_only")
async def test_of_a_deleted_thread_nothing_comes_back(served: Served, options: EmbeddedOptions) -> None:
    """Its run does not want to end, more runs wait, and others come while it ends."""
    begun, done = asyncio.Event(), asyncio.Event()

    async def stubborn(state: Sum) -> dict[str, int]:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            for _step in range(50):
                await asyncio.sleep(0.001)
        done.set()
        return {"total": 1}

    builder: Any = StateGraph(Sum)
    graph = builder.add_node("n", stubborn).add_edge(START, "n").compile()
    async with served(replace(options, graphs={"stubborn": graph})) as client:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.create(thread, "stubborn", input={"total": 1})
        await client.runs.create(thread, "stubborn", input={"total": 1})
        await client.runs.create(thread, "stubborn", input={"total": 1}, after_seconds=1)
        await client.crons.create_for_thread(thread, "stubborn", schedule="* * * * *", input={"total": 1})
        async with asyncio.timeout(patience(30)):
            await begun.wait()
            await asyncio.gather(
                client.threads.delete(thread),
                client.runs.create(thread, "stubborn", input={"total": 1}),
                return_exceptions=True,
            )
            await done.wait()
        assert left(options.database) == dict.fromkeys(TABLES, 0)
        with pytest.raises(NotFoundError):
            await client.threads.get(thread)
    async with served(replace(options, graphs={"stubborn": graph})):
        assert left(options.database) == dict.fromkeys(TABLES, 0)
