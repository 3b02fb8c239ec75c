"""/stop in five hundred conversations at once: every one is answered, and every run is over on its server.

How soon is a matter of the machine: `python -m benchmarks.stops` tells.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from benchmarks.kit.agent_events import Script
from benchmarks.kit.child_process import agent_server
from benchmarks.kit.null_channel import NullChannel, Pace
from benchmarks.kit.parley_core import running_core
from benchmarks.loads.busy_load import begin
from benchmarks.stops import stop, until_counted
from parley.core.model.types import RunMode, SessionSettings
from tests.kit.waiting import until

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(240)]

TURNS = 500
# Longer than the test may take: no run ends by itself.
SCRIPT = Script(1000, 1.0)


@pytest.mark.parametrize("mode", list(RunMode))
async def test_every_stopped_run_ends_on_the_server(tmp_path: Path, mode: RunMode) -> None:
    channel, sessions = NullChannel(Pace(1.0, 0.0)), {"": SessionSettings(SCRIPT.name)}
    with agent_server() as (url, _):
        async with running_core(tmp_path, url, sessions, mode, channel) as core:
            turns = await begin(core, TURNS)
            await until(lambda: _all_are(url, "running"), "every run is under way", 60)
            if mode is RunMode.STREAM:
                await asyncio.gather(*(turn.seen.wait() for turn in turns))
            stops = await asyncio.gather(*(stop(core, number, 0.0) for number in range(TURNS)))
            replies = await asyncio.gather(*(turn.answered for turn in turns))
            await until(lambda: _all_are(url, "interrupted"), "every run is over", 60)
    assert {each.answered.result() for each in stops} == {"Stopping."}
    said = "word 0 " if mode is RunMode.STREAM else ""
    assert all(reply.startswith(said) and reply.endswith("⏹ Stopped.") for reply in replies)


async def _all_are(url: str, status: str) -> bool:
    return await until_counted(url, status, TURNS) == TURNS
