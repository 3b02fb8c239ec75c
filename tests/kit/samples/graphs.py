"""Graphs for the tests of the server's own promises."""

from __future__ import annotations

import asyncio
import math
import threading
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from parley.server.graphs.registry import Graph
from tests.kit.machine import patience


@dataclass
class Gate:
    """A graph that says `there`, waits until it is let through, and answers `through`."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    open: asyncio.Event = field(default_factory=asyncio.Event)

    def graph(self) -> Graph:
        async def node(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
            runtime.stream_writer("there")
            self.reached.set()
            await self.open.wait()
            return {"messages": [AIMessage("through")]}

        return StateGraph(MessagesState).add_node("wait", node).add_edge(START, "wait").compile()


@dataclass
class Blockade:
    """A graph that blocks its thread until it is let through, for a minute at most; `ended` counts runs."""

    reached: threading.Event = field(default_factory=threading.Event)
    open: threading.Event = field(default_factory=threading.Event)
    ended: int = 0

    def graph(self) -> Graph:
        def node(state: MessagesState) -> dict[str, Any]:
            self.reached.set()
            self.open.wait(patience(60))
            self.ended += 1
            return {"messages": [AIMessage("through")]}

        return StateGraph(MessagesState).add_node("wait", node).add_edge(START, "wait").compile()


async def _echo(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"You said: {state['messages'][-1].text}")]}


async def _chatter(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
    for number in range(2000):
        runtime.stream_writer({"number": number})
    return {}


async def _odd(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
    runtime.stream_writer(
        {"bytes": b"\xff", "set": {1}, "nan": math.nan, "half": "a\ud800b", 3: object, "big": 2**70}
    )
    return {"messages": [AIMessage("odd")]}


async def _ask(state: MessagesState) -> dict[str, Any]:
    return {"messages": [AIMessage(f"answer was {interrupt('Really?')}")]}


async def _ask_then_wait(state: MessagesState) -> dict[str, Any]:
    answer = interrupt("Really?")
    await asyncio.sleep(3600)
    return {"messages": [AIMessage(answer)]}


async def _exit(state: MessagesState) -> dict[str, Any]:
    raise asyncio.CancelledError


def _graph(node: Any) -> Any:  # noqa: ANN401 - the builder's own types are wider than ours
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()


echo, chatter, odd, ask, ask_then_wait, gives_up = map(
    _graph, (_echo, _chatter, _odd, _ask, _ask_then_wait, _exit)
)


async def made_per_run(config: Any) -> Graph:  # noqa: ANN401 - as users write them
    """A factory that is told the run's configuration."""

    async def node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(f"for {config['configurable'].get('user', 'nobody')}")]}

    graph: Graph = _graph(node)
    return graph


def broken_factory() -> Graph:
    """A factory that fails."""
    raise LookupError("no such graph today")
