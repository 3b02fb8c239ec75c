"""/stop ends the run on the server too, however slow, deaf or far away that is."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from parley.core.model.errors import AgentRefused, AgentUnavailable
from parley.core.model.options import BusyPolicy
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import Core, RecordingChannel, ScriptedAgent, core, default_options
from tests.kit.machine import patience
from tests.kit.waiting import until

HASTE = default_options(stop_patience=0.05)


class Deaf(ScriptedAgent):
    """Says half of its answer and goes on until cancelled. The first `lost` cancellations come to nothing:
    they fail with `error`, or are never answered.
    """

    def __init__(self, lost: int, error: Exception | None = None, *, known: bool = True) -> None:
        super().__init__(self.play)
        self.lost = lost
        self.error = error
        self.known = known
        self.tried: list[tuple[RunRef, str]] = []
        self.stopped = asyncio.Event()

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if self.known:
            yield RunStarted(RunRef(request.thread, "run-1"))
            yield RunProgress("half", ())
        await self.stopped.wait()
        yield RunEnded(Outcome.CANCELLED, "half")

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        self.tried.append((run, turn))
        if len(self.tried) <= self.lost:
            if self.error is not None:
                raise self.error
            await asyncio.Event().wait()
        self.stopped.set()


async def until_stopped(agent: Deaf) -> None:
    async with asyncio.timeout(patience(20)):
        await agent.stopped.wait()


async def say_stop(parley: Core, agent: Deaf) -> None:
    await parley.say("talk")
    if agent.known:
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
    else:
        await agent.until_asked()
    await parley.say("/stop")


async def test_a_cancellation_that_failed_is_tried_again(tmp_path: Path) -> None:
    agent = Deaf(2, AgentUnavailable("the server is away"))
    async with core(tmp_path, agent=agent) as parley:
        await say_stop(parley, agent)
        texts = await parley.channel.until_finals(2)
        assert "half\n\n⏹ Stopped." in texts
        assert len(agent.tried) == 3


async def test_a_turn_ends_in_time_and_its_run_is_stopped_after_it(tmp_path: Path) -> None:
    agent = Deaf(1)
    async with core(tmp_path, agent=agent, options=HASTE) as parley:
        await say_stop(parley, agent)
        assert "half\n\n⏹ Stopped." in await parley.channel.until_finals(2)
        await until_stopped(agent)
        assert {run.run_id for run, _ in agent.tried} == {"run-1"}


async def test_a_run_whose_id_never_came_is_found_by_its_turn_and_stopped(tmp_path: Path) -> None:
    agent, now = Deaf(0, known=False), [time.time()]
    channel = replace(HASTE.channels["test"], when_busy=BusyPolicy.REJECT)
    options = replace(HASTE, channels={"test": channel})
    async with core(tmp_path, agent=agent, options=options, clock=lambda: now[0]) as parley:
        await say_stop(parley, agent)
        assert "⏹ Stopped." in await parley.channel.until_finals(2)
        await until(partial(parley.nothing_waits, "turns/test"), "the turn is over")
        now[0] += 60
        await parley.say("knock")  # makes the node look, behind what it has to stop
        await until_stopped(agent)
        ((run, turn),) = agent.tried
        assert (run.thread, run.run_id) == (agent.requests[0].thread, "")
        assert turn == agent.requests[0].turn_id


async def test_the_run_is_stopped_even_after_a_crash(tmp_path: Path) -> None:
    agent, later = Deaf(1000), Deaf(0)
    async with core(tmp_path, agent=agent, options=HASTE) as parley:
        await say_stop(parley, agent)
        await parley.channel.until_finals(2)
    async with core(tmp_path, agent=later, channel=RecordingChannel()):
        await until_stopped(later)
        assert later.tried[0][0].run_id == "run-1"
        assert not later.requests


async def test_a_server_that_refuses_is_not_asked_for_ever(tmp_path: Path) -> None:
    agent = Deaf(1000, AgentRefused("no such call"))
    async with core(tmp_path, agent=agent, options=HASTE) as parley:
        await say_stop(parley, agent)
        assert "half\n\n⏹ Stopped." in await parley.channel.until_finals(2)
        given_up = partial(parley.nothing_waits, "knocks/test", f"stop:{agent.requests[0].turn_id}")
        await until(given_up, "the run is given up")
        assert not agent.stopped.is_set()


async def test_a_run_that_ends_by_itself_is_not_cancelled_afterwards(tmp_path: Path) -> None:
    agent = Deaf(0)
    async with core(tmp_path, agent=agent) as parley:
        await say_stop(parley, agent)
        await parley.channel.until_finals(2)
        await until(partial(parley.nothing_waits, "turns/test"), "the turn is over")
        assert await parley.nothing_waits("knocks/test", f"stop:{agent.requests[0].turn_id}")
        assert len(agent.tried) == 1


async def test_a_message_that_waits_for_more_is_not_run_at_all(tmp_path: Path) -> None:
    patient = replace(default_options().channels["test"], burst_window=3600.0)
    async with core(tmp_path, options=default_options(channels={"test": patient})) as parley:
        await parley.say("talk")
        await parley.say("/stop")
        assert await parley.channel.until_finals(1) == ["Waiting messages that were dropped: 1."]
        await parley.say("/stop")
        assert (await parley.channel.until_finals(2))[-1] == "Nothing is running here."
        assert not parley.agent.requests
