"""A server in a process of its own, to be killed; and a graph that notes every step it really takes."""

from __future__ import annotations

import asyncio
import multiprocessing
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph

from agent.embedded.options import EmbeddedOptions
from agent.embedded.serve import serve

STEPS = 10
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.unit.embedded.crashing"])


class Walked(TypedDict, total=False):
    steps: Annotated[list[int], operator.add]


def walking(log: Path) -> StateGraph[Any]:
    """Takes one step after another, 0.1 s each; notes each in `log` when it is done."""

    async def step(state: Walked) -> Walked:
        number = len(state.get("steps", []))
        await asyncio.sleep(0.1)
        with log.open("a") as file:
            file.write(f"{number}\n")
        return {"steps": [number]}

    graph = StateGraph(Walked).add_node("step", step).add_edge(START, "step")
    return graph.add_conditional_edges(
        "step", lambda state: END if len(state["steps"]) % STEPS == 0 else "step"
    )


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, ForkServerProcess]]:
    """The URL of a running server, and its process."""
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_serve, args=(folder, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv(), process
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
        theirs.close()


def _serve(folder: Path, told: Connection) -> None:
    options = EmbeddedOptions(folder / "agent.sqlite", {"walk": walking(folder / "log")})
    asyncio.run(serve(options, "127.0.0.1", 0, told.send))
