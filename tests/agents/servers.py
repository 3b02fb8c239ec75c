"""The servers that the graphs are asked on. All serve the graphs of the table, by a langgraph.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from tests.agents.graphs.models import SEEN
from tests.conformance.servers import aegra, development_server
from tests.kit.engine import CHOSEN
from tests.kit.product.process import AGENT_KEY, Process

EMBEDDED, OFFICIAL, AEGRA = "embedded", "official", "aegra"
_GRAPHS = Path(__file__).with_name("graphs")


@dataclass(frozen=True)
class AgentServer:
    """A server that runs in a folder."""

    kind: str
    url: str
    folder: Path
    key: str = ""


def list_graphs(folder: Path, names: set[str]) -> None:
    """Write a langgraph.json that serves these ("module.graph") under their own names.

    It also has an Auth handler, which only the official server has, and an index of the store.
    """
    pairs = [name.partition(".")[::2] for name in sorted(names)]
    graphs = {graph: f"{_GRAPHS / module}.py:{graph}" for module, graph in pairs}
    project = {
        "dependencies": ["."],
        "graphs": graphs,
        "auth": {"path": f"{_GRAPHS}/server_side.py:auth"},
        "store": {"index": {"embed": f"{_GRAPHS}/server_side.py:embed", "dims": 2}},
    }
    (folder / "langgraph.json").write_text(json.dumps(project), "utf-8")


def list_for_aegra(folder: Path, names: set[str]) -> None:
    """Write the same for Aegra, which makes no module of a file that it loads: theirs import ours.

    Its store finds by meaning with an extension of PostgreSQL and a model's provider only.
    """
    list_graphs(folder, names)
    project = json.loads((folder / "langgraph.json").read_text("utf-8"))
    del project["store"]
    for name, place in project["graphs"].items():
        module = Path(place.rpartition(":")[0]).stem
        (folder / f"{module}_graphs.py").write_text(f"from {__package__}.graphs.{module} import *\n")
        project["graphs"][name] = f"./{module}_graphs.py:{name}"
    (folder / "langgraph.json").write_text(json.dumps(project), "utf-8")


@contextmanager
def serving(kind: str, folder: Path, names: set[str]) -> Iterator[AgentServer]:
    """Start a server of this kind with these graphs."""
    (folder / SEEN).mkdir()
    if kind == AEGRA:
        list_for_aegra(folder, names)
        with aegra(folder) as url:
            yield AgentServer(kind, url, folder)
        return
    list_graphs(folder, names)
    if kind == OFFICIAL:
        with development_server(folder) as url:
            yield AgentServer(kind, url, folder)
        return
    store = CHOSEN.engine().section(folder)
    shared = {"store": store, "agent_server": {"database": "store"}} if store else {}
    config = {"agent": {"api_key": AGENT_KEY}, **shared}
    process = Process(folder, config, ("agent", "--port", str(free_port())))
    try:
        yield AgentServer(kind, process.start(), folder, AGENT_KEY)
    finally:
        process.kill()
