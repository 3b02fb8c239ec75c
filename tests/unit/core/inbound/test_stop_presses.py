"""A press of a stop button ends its own turn, and no other."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from parley.core.model.questions import STOP_OPTION, STOP_QUESTION, Click
from parley.core.texts import Sentence, say
from tests.kit.doubles.core import Core, core, work
from tests.kit.samples.questions import ANN, BOB, EVE, click
from tests.unit.core.inbound.test_busy_policy import Gated, until_half

STOPPING, NOTHING, REFUSED = (
    say("en", each) for each in (Sentence.STOP_DONE, Sentence.STOP_NOTHING, Sentence.HOME_REFUSED)
)


def press(turn: str, option: str = STOP_OPTION) -> Click:
    return click(f"{STOP_QUESTION}{turn}", option)


def running_turn(parley: Core) -> str:
    return parley.agent.requests[-1].turn_id


async def test_the_button_of_a_running_answer_ends_it_for_whoever_may_talk(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Gated()) as parley:
        await parley.say("long", id="m1")
        await until_half(parley)
        turn = running_turn(parley)
        strange = replace(press(turn), sender=EVE)
        assert await parley.clicks.submit(strange) == REFUSED
        assert await parley.clicks.submit(press(turn, "go on")) == REFUSED
        assert not parley.agent.cancelled
        assert await parley.clicks.submit(replace(press(turn), sender=BOB)) == STOPPING
        (stopped,) = await parley.channel.until_finals(1)
        assert "all of long" not in stopped


async def test_the_button_of_an_answer_that_is_over_ends_no_later_one(tmp_path: Path) -> None:
    agent = Gated()
    async with core(tmp_path, agent=agent) as parley:
        await parley.say("one", id="m1")
        await parley.channel.until_finals(1)
        over = running_turn(parley)
        assert await parley.clicks.submit(press(over)) == NOTHING
        await parley.say("long", id="m2")
        await until_half(parley)
        assert await parley.clicks.submit(press(over)) == NOTHING
        assert await parley.clicks.submit(replace(press("x" * 201), sender=ANN)) == REFUSED
        assert not agent.cancelled
        agent.through.set()
        assert (await parley.channel.until_finals(2))[1] == "all of long"


async def test_a_press_that_was_taken_ends_the_answer_after_a_crash(tmp_path: Path) -> None:
    async with core(tmp_path, agent=Gated()) as parley:
        await parley.say("long", id="m1")
        await until_half(parley)
        await parley.crash()
        assert await parley.clicks.submit(press(running_turn(parley))) == STOPPING
        work(parley, time.time)
        (stopped,) = await parley.channel.until_finals(1)
        assert "all of long" not in stopped
