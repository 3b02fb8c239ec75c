"""A node that may have lost a turn makes no run for it, and stops none."""

from __future__ import annotations

import pytest

from parley.agent.run import LangGraphAgent
from parley.core.errors import LaneLost
from parley.core.fencing import Tenure, acting_under, uptime
from parley.core.types import Mode, RunRef, RunStarted
from tests.unit.agent.server import FakeServer, Script
from tests.unit.agent.wire import THREAD, answer, request


def lapsed() -> Tenure:
    return Tenure(15, uptime() - 15)


async def run(agent: LangGraphAgent, mode: Mode) -> list[object]:
    return [event async for event in agent.run(request(mode=mode))]


@pytest.mark.parametrize("mode", list(Mode))
async def test_no_run_is_made(server: FakeServer, agent: LangGraphAgent, mode: Mode):
    server.scripts = [Script(answer("Hello"))]
    with acting_under(lapsed()), pytest.raises(LaneLost):
        await run(agent, mode)
    assert server.runs == {}


async def test_a_run_is_not_stopped(server: FakeServer, agent: LangGraphAgent):
    server.scripts = [Script(answer("Hello"))]
    started = next(event for event in await run(agent, Mode.STREAM) if isinstance(event, RunStarted))
    with acting_under(lapsed()), pytest.raises(LaneLost):
        await agent.cancel(RunRef(THREAD, started.run.run_id))
    assert not server.asked("POST", "/cancel")
