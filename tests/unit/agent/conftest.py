"""A server of the LangGraph protocol, and the agent that talks to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from tests.kit.doubles.langgraph_server import FakeServer, serving


@pytest.fixture
async def server() -> AsyncIterator[FakeServer]:
    async with serving(FakeServer()) as server:
        yield server


@pytest.fixture
async def agent(server: FakeServer, tmp_path: Path) -> AsyncIterator[LangGraphAgent]:
    async with LangGraphAgent(AgentEndpoint(server.url, "key"), files=tmp_path, rejoin_delay=0.001) as agent:
        yield agent
