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

from parley.server.options import EmbeddedOptions
from parley.server.storage.interface import PostgresPlace
from parley.server.tcp_server import serve
from tests.kit.waiting import until

STEPS = 10
KEY = "a-key-of-the-tests"
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.kit.doubles.killable_server"])


class Walked(TypedDict, total=False):
    steps: Annotated[list[int], operator.add]


def allow(folder: Path, steps: int) -> None:
    """Let so many steps be taken in all; unless this is said, all may be."""
    (folder / "new").write_text(str(steps))
    (folder / "new").replace(folder / "allowed")


def walking(folder: Path) -> StateGraph[Any]:
    """Takes one step after another, as far as it may; notes each in `log` when it is done."""
    log, allowed = folder / "log", folder / "allowed"

    async def step(state: Walked) -> Walked:
        number = len(state.get("steps", []))
        await until(lambda: not allowed.exists() or number < int(allowed.read_text()), "it may go on")
        with log.open("a") as file:
            file.write(f"{number}\n")
        return {"steps": [number]}

    graph = StateGraph(Walked).add_node("step", step).add_edge(START, "step")
    return graph.add_conditional_edges(
        "step", lambda state: END if len(state["steps"]) % STEPS == 0 else "step"
    )


@contextmanager
def server(folder: Path, postgres: PostgresPlace | None = None) -> Iterator[tuple[str, ForkServerProcess]]:
    """The URL of a running server, and its process; its state is in the folder, or where it is told."""
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_serve, args=(folder, postgres, theirs), daemon=True)
    process.start()
    try:
        yield ours.recv(), process
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
        theirs.close()


def _serve(folder: Path, postgres: PostgresPlace | None, told: Connection) -> None:
    options = EmbeddedOptions(
        folder / "agent.sqlite", {"walk": walking(folder)}, api_key=KEY, postgres=postgres
    )
    asyncio.run(serve(options, "127.0.0.1", 0, told.send))
