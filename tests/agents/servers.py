"""The servers that the graphs are asked on. Both serve the graphs of the table, by a langgraph.json."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.servers import development_server
from tests.kit.product.process import AGENT_KEY, Process, free_port

EMBEDDED, OFFICIAL = "embedded", "official"
_GRAPHS = Path(__file__).with_name("graphs")


@dataclass(frozen=True)
class AgentServer:
    """A server that runs."""

    kind: str
    url: str
    key: str = ""


def graph_files(names: set[str]) -> Mapping[str, str]:
    """Return where each graph is, by the name it is served under; `names` are those of modules and graphs."""
    pairs = [name.partition(".")[::2] for name in sorted(names)]
    return {graph: f"{_GRAPHS / module}.py:{graph}" for module, graph in pairs}


@contextmanager
def serving(kind: str, folder: Path, names: set[str]) -> Iterator[AgentServer]:
    """Start a server of this kind with these graphs."""
    listed = {"dependencies": ["."], "graphs": dict(graph_files(names))}
    (folder / "langgraph.json").write_text(json.dumps(listed), "utf-8")
    if kind == OFFICIAL:
        with development_server(folder) as url:
            yield AgentServer(kind, url)
        return
    process = Process(folder, {"agent": {"api_key": AGENT_KEY}}, ("agent", "--port", str(free_port())))
    try:
        yield AgentServer(kind, process.start(), AGENT_KEY)
    finally:
        process.kill()
