"""A server that is away while the shape of a graph is asked for is said once, however often it is tried."""

from __future__ import annotations

import logging

import pytest

from benchmarks.kit.free_ports import free_port
from parley.agent.langgraph_client import AgentServerClient
from parley.agent.runs.graph_shapes import GraphShapes
from parley.agent.stream.graph_shape import GraphShape
from parley.agent.transport.http_client import AgentEndpoint, make_clients
from parley.core.model.errors import AgentError
from parley.core.model.types import SessionSettings


async def test_a_server_that_is_away_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "parley.agent.runs.graph_shapes")
    url = f"http://127.0.0.1:{free_port()}"  # nobody listens there
    http, client = make_clients(AgentEndpoint(url))
    server, shapes = AgentServerClient(client), GraphShapes()
    for _ in range(2):
        with pytest.raises(AgentError):
            await shapes.of(server, SessionSettings("agent"))
    assert (await shapes.of(server, SessionSettings("agent"))).answer == GraphShape().answer
    await http.aclose()
    said = [record.getMessage() for record in caplog.records if "not fully known" in record.message]
    assert len(said) == 1
    assert said[0].startswith("the shape of agent is not fully known")
