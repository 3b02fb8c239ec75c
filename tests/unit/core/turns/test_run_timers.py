"""Runs that take long say so in their own reply, and are ended when they take too long."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from parley.core.model.address import User
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunEvent,
    RunMode,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
    Step,
    StepStatus,
)
from parley.core.scheduler.manager import Manager
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options

SEARCH = (Step("1", "read", StepStatus.DONE), Step("2", "search the archive", StepStatus.RUNNING))


def has_shown(parley: Core) -> bool:
    return len(parley.channel.shown) > 0


class Slow(ScriptedAgent):
    """Says "half", works on a step, and ends when it is let go or cancelled."""

    def __init__(self) -> None:
        super().__init__(self.play)
        self.go = asyncio.Event()

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, "run"))
        if request.mode is RunMode.STREAM:
            yield RunProgress("half", SEARCH)
        waits = [asyncio.create_task(event.wait()) for event in (self.go, self.cancel_seen)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        if self.cancelled:
            yield RunEnded(Outcome.CANCELLED, "half")
        else:
            yield RunEnded(Outcome.ANSWERED, "whole")


def notes(parley: Core) -> list[str]:
    return [shown.text for shown in parley.channel.shown if "⏳" in shown.text]


async def test_a_long_run_says_once_in_its_reply_what_it_is_at(tmp_path: Path) -> None:
    agent = Slow()
    options = default_options(still_working_after=0.05)
    async with core(tmp_path, agent=agent, options=options) as parley:
        await parley.say("long")
        await parley.channel.until(lambda: bool(notes(parley)))
        (note,) = notes(parley)
        assert note == "half\n\n⏳ Still working, now on: search the archive"
        assert parley.channel.shown[-1].steps == SEARCH
        agent.go.set()
        assert await parley.channel.until_finals(1) == ["whole"]
        assert len(notes(parley)) == 1
        assert len({shown.turn_id for shown in parley.channel.shown}) == 1


async def test_where_nothing_is_shown_of_a_run_the_note_is_all_of_it(tmp_path: Path) -> None:
    agent, channel = Slow(), default_options().channels["test"]
    waits = default_options(channels={"test": replace(channel, mode=RunMode.WAIT)}, still_working_after=0.05)
    async with core(tmp_path, agent=agent, options=waits) as parley:
        await parley.say("long", sender=User("test", "ann", language="zh"))
        await parley.channel.until(lambda: bool(notes(parley)))
        assert notes(parley) == ["⏳ 仍在处理……"]
        agent.go.set()
        assert await parley.channel.until_finals(1) == ["whole"]


async def test_quick_runs_and_those_that_never_tell_say_nothing(tmp_path: Path) -> None:
    for number, after in enumerate((3600.0, 0.0)):
        agent = Slow()
        options = default_options(still_working_after=after)
        (folder := tmp_path / str(number)).mkdir()
        async with core(folder, agent=agent, options=options) as parley:
            await parley.say("long")
            await parley.channel.until(partial(has_shown, parley))
            agent.go.set()
            await parley.channel.until_finals(1)
            assert notes(parley) == []


async def test_a_run_over_its_time_is_stopped_with_what_it_said(tmp_path: Path) -> None:
    agent = Slow()
    async with core(tmp_path, agent=agent, options=default_options(timeout=0.05)) as parley:
        await parley.say("long")
        (text,) = await parley.channel.until_finals(1)
        assert text == "half\n\n⏱ Stopped: this took longer than the time limit."
        assert [run.run_id for run in agent.cancelled] == ["run"]


async def test_time_before_a_crash_counts(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Slow(), options=default_options(timeout=3600.0)) as parley:
        await parley.say("long")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
        began = parley.services.clock()
    agent = Slow()
    async with core(tmp_path, agent=agent, options=default_options(timeout=3600.0), working=False) as parley:
        later = replace(parley.services, clock=lambda: began + 3601)
        parley.task = asyncio.create_task(Manager(later).run())
        (text,) = await parley.channel.until_finals(1)
        assert text.startswith("half")
        assert "⏱" in text


async def test_stopped_by_a_person_is_not_too_long(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Slow(), options=default_options(timeout=3600.0)) as parley:
        await parley.say("long")
        await parley.channel.until(lambda: any(shown.text == "half" for shown in parley.channel.shown))
        await parley.say("/stop")
        assert "half\n\n⏹ Stopped." in await parley.channel.until_finals(2)
