"""The embedded server on a loop of its own: turns cross over, and a node that blocks stops nobody else."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.errors import ConfigError
from parley.core.model.questions import InterruptAnswer, ResumeInput
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunMode,
    RunProgress,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.server.blocked_nodes import find_blocked_node, watch_for_blocks, watched_from_aside
from parley.server.graphs.registry import Graph
from parley.server.loop_thread import LoopThread, threaded_server
from parley.server.options import EmbeddedOptions
from tests.conformance.served import graphs
from tests.kit.machine import patience
from tests.kit.waiting import until


@dataclass
class Blocking:
    """A graph whose async node blocks its loop until it is let go."""

    reached: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)

    def graph(self) -> Graph:
        async def answer_slowly(state: MessagesState) -> dict[str, Any]:
            self.reached.set()
            self.open.wait(patience(60))  # the line that blocks
            return {"messages": [AIMessage("through")]}

        return (
            StateGraph(MessagesState)
            .add_node("stubborn", answer_slowly)
            .add_edge(START, "stubborn")
            .compile()
        )


async def _remember(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
    assert runtime.store is not None
    await runtime.store.aput(("people",), "ada", {"said": state["messages"][-1].text})
    found = await runtime.store.aget(("people",), "ada")
    return {"messages": [AIMessage(f"kept {found.value['said']}" if found else "lost")]}


async def _long(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage("x" * 3_000_000)]}


def one(node: Any) -> Graph:  # noqa: ANN401
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()


@asynccontextmanager
async def agent_of(tmp_path: Path, **sources: Graph) -> AsyncIterator[LangGraphAgent]:
    options = EmbeddedOptions(tmp_path / "agent.db", sources)
    async with (
        threaded_server(options) as transport,
        LangGraphAgent(AgentEndpoint("http://inside"), files=tmp_path, transport=transport) as agent,
    ):
        yield agent


def turn(text: str, assistant: str, **changes: Any) -> RunRequest:  # noqa: ANN401
    given: dict[str, Any] = {
        "thread": str(uuid4()),
        "turn_id": str(uuid4()),
        "message_id": str(uuid4()),
        **changes,
    }
    return RunRequest(text=text, person=User("web", "ada"), session=SessionSettings(assistant), **given)


async def ended(agent: LangGraphAgent, request: RunRequest) -> RunEnded:
    async with asyncio.timeout(patience(60)):
        events = [event async for event in agent.run(request)]
    assert isinstance(events[-1], RunEnded)
    return events[-1]


@pytest.mark.parametrize("mode", RunMode)
async def test_turns_cross_over(tmp_path: Path, mode: RunMode) -> None:
    async with agent_of(tmp_path, echo=graphs.echo, keeper=one(_remember), long=one(_long)) as agent:
        first = turn("hi", "echo", mode=mode)
        assert (await ended(agent, first)).text == "You said: hi"
        assert (await ended(agent, turn("on", "echo", thread=first.thread, mode=mode))).text == "You said: on"
        assert "You said: hi" in await agent.copy(first.thread)
        assert (await ended(agent, turn("tea", "keeper", mode=mode))).text == "kept tea"
        assert len((await ended(agent, turn("much", "long", mode=mode))).text) == 3_000_000


async def test_a_question_is_asked_and_answered(tmp_path: Path) -> None:
    async with agent_of(tmp_path, ask=graphs.ask) as agent:
        request = turn("hi", "ask")
        asked = await ended(agent, request)
        assert asked.outcome is Outcome.ASKED
        answer = ResumeInput((InterruptAnswer(asked.questions[0].id, "yes"),))
        end = await ended(agent, turn("yes", "ask", thread=request.thread, answer=answer))
        assert end.text == "answer was yes"


async def test_a_run_streams_is_left_joined_and_cancelled(tmp_path: Path) -> None:
    async with agent_of(tmp_path, slow=graphs.slow) as agent:
        request, run = turn("x", "slow"), None
        async with asyncio.timeout(patience(60)), aclosing(agent.run(request)) as events:
            async for event in events:
                run = event.run if isinstance(event, RunStarted) else run
                if isinstance(event, RunProgress) and event.text:
                    break
        assert run is not None
        await agent.cancel(run)
        again = turn("x", "slow", thread=request.thread, turn_id=request.turn_id, known=run)
        assert (await ended(agent, again)).outcome is Outcome.CANCELLED


async def test_what_was_kept_is_there_after_a_restart(tmp_path: Path) -> None:
    request = turn("hi", "echo")
    async with agent_of(tmp_path, echo=graphs.echo) as agent:
        await ended(agent, request)
    async with agent_of(tmp_path, echo=graphs.echo) as agent:
        assert "You said: hi" in await agent.copy(request.thread)


async def test_a_node_that_blocks_stops_nobody_else_and_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocking = Blocking()
    async with agent_of(tmp_path, stuck=blocking.graph()) as agent:
        task = asyncio.create_task(ended(agent, turn("x", "stuck")))
        await until(blocking.reached.is_set, "the node blocks")
        await until(lambda: "stubborn" in caplog.text, "the node is named")  # this loop goes on meanwhile
        blocking.open.set()
        assert (await task).text == "through"
        await until(lambda: "go on" in caplog.text, "it is over")
    (line,) = [each.getMessage() for each in caplog.records if "stubborn" in each.getMessage()]
    assert line.startswith("the graph stuck has blocked all graphs for ")
    assert "in answer_slowly: self.open.wait(patience(60))  # the line that blocks" in line
    assert f"{Path(__file__).name}:" in line


async def test_a_request_times_out_on_this_side_too(tmp_path: Path) -> None:
    blocking = Blocking()
    options = EmbeddedOptions(tmp_path / "agent.db", {"stuck": blocking.graph()})
    async with (
        threaded_server(options) as transport,
        httpx.AsyncClient(transport=transport, base_url="http://inside", timeout=0.01) as client,
    ):
        thread = str(uuid4())
        body = {"assistant_id": "stuck", "input": {"messages": "x"}, "if_not_exists": "create"}
        await client.post(f"/threads/{thread}/runs", json=body, timeout=patience(60))
        await until(blocking.reached.is_set, "the node blocks")
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/ok")
        blocking.open.set()
        assert (await client.get("/ok", timeout=patience(60))).json() == {"ok": True}


async def test_a_graph_that_cannot_be_had_is_said_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        async with threaded_server(
            EmbeddedOptions(tmp_path / "agent.db", {"a": "no_such_module_here:graph"})
        ):
            pass


def hold_up(enough: Callable[[], bool]) -> None:
    """Block this loop, as a node may, until it is enough."""
    end = time.monotonic() + patience(20)
    while not enough():
        time.sleep(0.01)
        assert time.monotonic() < end


async def test_a_loop_can_be_watched_from_aside(caplog: pytest.LogCaptureFixture) -> None:
    with watched_from_aside(asyncio.get_running_loop(), interval=0.01, blocked=0.05):
        hold_up(lambda: "has blocked" in caplog.text)
        await until(lambda: "go on" in caplog.text, "it is over")
    assert f"{Path(__file__).name}:" in caplog.text


def stand_still(enough: Callable[[], bool]) -> None:
    """Block this loop until it is enough. Nothing may be raised in it: pytest shows no line that is none."""
    while not enough():
        time.sleep(0.01)


async def test_what_blocks_is_named_also_where_its_instruction_has_no_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As with Python 3.11 between two lines; here with all instructions."""
    code, end = stand_still.__code__.replace(co_linetable=b""), time.monotonic() + patience(20)
    stand_still_anywhere = FunctionType(code, stand_still.__globals__)
    with watched_from_aside(asyncio.get_running_loop(), interval=0.01, blocked=0.05):
        stand_still_anywhere(lambda: "has blocked" in caplog.text or time.monotonic() > end)
        await until(lambda: "go on" in caplog.text, "it is over")
    assert f"{Path(__file__).name}:{code.co_firstlineno} in stand_still" in caplog.text


def test_a_library_is_nobodys_code_also_behind_a_link(tmp_path: Path) -> None:
    """A virtual environment may be reached by a link, and its modules are named by it then."""
    (tmp_path / "linked").symlink_to(Path(sys.prefix))
    look = (
        "import sys, httpx; from parley.server.blocked_nodes import _is_users; "
        "print(httpx.__file__, _is_users(httpx.__file__), _is_users('/home/ann/graph.py'))"
    )
    python = tmp_path / "linked" / "bin" / "python"
    done = subprocess.run([python, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [done.stdout.split()[0], "False", "True"]
    assert done.stdout.startswith(str(tmp_path))


async def test_a_loop_that_others_hold_up_is_said_without_a_name(caplog: pytest.LogCaptureFixture) -> None:
    thread = LoopThread(asyncio.new_event_loop)
    thread.loop.call_soon_threadsafe(time.sleep, 0.5)
    watch = asyncio.create_task(watch_for_blocks(thread.loop, thread.ident, interval=0.01, blocked=0.05))
    await until(lambda: "by no code of theirs" in caplog.text, "it is said")
    watch.cancel()
    await thread.stop(wait=True)
    assert logging.WARNING in {each.levelno for each in caplog.records}
    assert find_blocked_node(thread.loop, thread.ident) is None
