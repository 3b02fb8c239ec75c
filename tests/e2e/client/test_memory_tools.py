"""A client in one's own process opens no port: agents that run elsewhere are offered no memory tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.kit.free_ports import free_port
from parley import Client
from tests.kit.product.process import AGENT_KEY, PATIENCE
from tests.kit.product.scene import begin, end

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

GRAPHS = {"graphs": {"agent": f"{Path(__file__).with_name('tools_graph.py')}:graph"}}


def answer(tmp_path: Path, **settings: dict[str, Any]) -> str:
    with Client(settings={"data_dir": str(tmp_path / "data"), **settings}) as client:
        return client.chat("hello", timeout=PATIENCE).text


@pytest.mark.parametrize("memory", [{}, {"tools_url": "https://another.example/mcp"}])
def test_an_agent_elsewhere_is_offered_none(tmp_path: Path, memory: dict[str, Any]) -> None:
    (tmp_path / "agent").mkdir()
    server = begin(
        tmp_path / "agent", {"agent": {"api_key": AGENT_KEY, **GRAPHS}}, "agent", "--port", str(free_port())
    )
    try:
        server.wait_until_up()
        agent = {"url": server.url, "api_key": AGENT_KEY}
        assert answer(tmp_path, agent=agent, memory=memory) == "no tools"
    finally:
        end(server)


def test_nor_is_a_graph_of_ones_own_that_would_have_to_call_a_port(tmp_path: Path) -> None:
    assert answer(tmp_path, agent=GRAPHS) == "no tools"
