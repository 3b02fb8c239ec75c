"""A node that may have lost a turn makes no run for it, and stops none."""

from __future__ import annotations

import pytest

from parley.agent.agent import LangGraphAgent
from parley.core.model.errors import LaneLost
from parley.core.model.types import RunMode, RunRef, RunStarted
from parley.core.ports.lease import LeaseToken, holding_lease, uptime
from tests.kit.doubles.langgraph_server import FakeServer, Script
from tests.kit.samples.langgraph_messages import THREAD, answer, request


def lapsed() -> LeaseToken:
    return LeaseToken(15, uptime() - 15)


async def run(agent: LangGraphAgent, mode: RunMode) -> list[object]:
    return [event async for event in agent.run(request(mode=mode))]


@pytest.mark.parametrize("mode", list(RunMode))
async def test_no_run_is_made(server: FakeServer, agent: LangGraphAgent, mode: RunMode):
    server.scripts = [Script(answer("Hello"))]
    with holding_lease(lapsed()), pytest.raises(LaneLost):
        await run(agent, mode)
    assert server.runs == {}


async def test_a_run_is_not_stopped(server: FakeServer, agent: LangGraphAgent):
    server.scripts = [Script(answer("Hello"))]
    started = next(event for event in await run(agent, RunMode.STREAM) if isinstance(event, RunStarted))
    with holding_lease(lapsed()), pytest.raises(LaneLost):
        await agent.cancel(RunRef(THREAD, started.run.run_id))
    assert not server.asked("POST", "/cancel")
