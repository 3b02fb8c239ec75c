"""A turn that is run again begins where its thread stood before: real graphs, real checkpoints."""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, TypedDict

import httpx
import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from langgraph_sdk.client import LangGraphClient

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.types import Outcome, RunEnded, RunMode, RunRequest, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions

THREAD = "00000000-0000-4000-8000-000000000001"
MEMORY = "<memory>\nlikes tea\n</memory>"


class Counted(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    runs: Annotated[int, operator.add]


class Model:
    """Answers with what it sees, a new number each time; breaks or asks when it is told to."""

    def __init__(self) -> None:
        self.calls = 0

    async def node(self, state: Counted) -> dict[str, Any]:
        self.calls += 1
        last = state["messages"][-1].text
        if last == "break" and self.calls == 1:
            raise ZeroDivisionError
        if last == "ask" and self.calls == 1:
            interrupt("Really?")
        seen = " | ".join(f"{m.type}:{m.text}" for m in state["messages"])
        return {"messages": [AIMessage(f"{self.calls}. run {state['runs'] + 1}: {seen}")], "runs": 1}


@asynccontextmanager
async def asked(folder: Path) -> AsyncIterator[Asking]:
    graph = StateGraph(Counted).add_node("talk", Model().node).add_edge(START, "talk")
    options = EmbeddedOptions(folder / "agent.sqlite", graphs={"agent": graph})
    async with embedded_server(options) as app:
        transport = StreamingASGITransport(app)
        endpoint = AgentEndpoint("http://embedded")
        async with (
            LangGraphAgent(
                endpoint, files=folder, transport=transport, injection=MemoryInjection.MESSAGE
            ) as agent,
            httpx.AsyncClient(transport=transport, base_url="http://embedded") as http,
        ):
            yield Asking(agent, LangGraphClient(http))


class Asking:
    def __init__(self, agent: LangGraphAgent, sdk: LangGraphClient) -> None:
        self.agent, self.sdk, self.turns = agent, sdk, 0

    async def say(self, text: str, number: int, **more: object) -> RunEnded:
        self.turns += 1
        request = RunRequest(
            turn_id=f"turn-{self.turns}",
            message_id=f"10000000-0000-4000-8000-00000000000{number}",
            thread=THREAD,
            text=text,
            person=User("test", "ann"),
            session=SessionSettings("agent"),
            **more,  # type: ignore[arg-type]
        )
        (ended,) = [event async for event in self.agent.run(request) if isinstance(event, RunEnded)]
        return ended

    async def texts(self) -> list[str]:
        values: Any = (await self.sdk.threads.get_state(THREAD))["values"]
        return [str(message["content"]) for message in values["messages"]]


@pytest.mark.parametrize("mode", list(RunMode))
async def test_the_last_answer_is_as_if_never_given(tmp_path: Path, mode: RunMode) -> None:
    async with asked(tmp_path) as thread:
        await thread.say("one", 1, mode=mode)
        await thread.say("two", 2, mode=mode)
        for number in (3, 4):
            ended = await thread.say("two", 2, mode=mode, retried=True)
            assert ended.text == f"{number}. run 2: human:one | ai:1. run 1: human:one | human:two"
        assert len(await thread.texts()) == 4
        values: Any = (await thread.sdk.threads.get_state(THREAD))["values"]
        assert values["runs"] == 2


async def test_the_first_turn_of_a_thread_is_run_again(tmp_path: Path) -> None:
    async with asked(tmp_path) as thread:
        await thread.say("one", 1)
        assert (await thread.say("one", 1, retried=True)).text == "2. run 1: human:one"
        assert (await thread.say("two", 2)).text.endswith("human:one | ai:2. run 1: human:one | human:two")


async def test_a_failed_turn_and_one_that_asked_are_run_again(tmp_path: Path) -> None:
    for text, outcome in (("break", Outcome.FAILED), ("ask", Outcome.ASKED)):
        (folder := tmp_path / text).mkdir()
        async with asked(folder) as thread:
            assert (await thread.say(text, 1)).outcome is outcome
            again = await thread.say(text, 1, retried=True)
            assert (again.outcome, again.text) == (Outcome.ANSWERED, f"2. run 1: human:{text}")


async def test_a_turn_that_left_nothing_is_simply_run(tmp_path: Path) -> None:
    async with asked(tmp_path) as thread:
        await thread.say("one", 1)
        assert (await thread.say("two", 2, retried=True)).text.endswith("human:one | human:two")


async def test_memory_is_in_the_thread_once_after_another_try(tmp_path: Path) -> None:
    async with asked(tmp_path) as thread:
        await thread.say("one", 1, memory=MEMORY)
        await thread.say("two", 2, memory=MEMORY, reminded=True)
        await thread.say("two", 2, memory=MEMORY, reminded=True, retried=True)
        assert sum("likes tea" in text for text in await thread.texts() if not text[0].isdigit()) == 1


async def test_a_thread_whose_beginning_is_gone_loses_the_answer_even_so(tmp_path: Path) -> None:
    async with asked(tmp_path) as thread:
        await thread.say("one", 1)
        await thread.say("two", 2)
        state = await thread.sdk.threads.get_state(THREAD)
        # Another thread with the same messages, but without the history that they came by.
        await thread.sdk.threads.delete(THREAD)
        await thread.sdk.threads.create(thread_id=THREAD, graph_id="agent")
        await thread.sdk.threads.update_state(THREAD, state["values"], as_node="talk")
        ended = await thread.say("two", 2, retried=True)
        assert ended.text.count("human:") == 3  # one, one as it was answered, and two
        assert len(await thread.texts()) == 4
