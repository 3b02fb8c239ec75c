"""A decision, pressed or said, survives a crash before any of the writes that carry it out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import pytest

from parley.core.model.questions import AnswerKind, InterruptAnswer
from tests.kit.doubles.core import Core, ScriptedAgent, core, core_on, default_options
from tests.kit.samples.questions import MAIL, asking, click, entries, keys, with_buttons
from tests.kit.samples.simultaneous_presses import until_nothing_waits
from tests.kit.store.gate import Gate, stopping

PRESSED, SAID = InterruptAnswer("i1", "approve", AnswerKind.OPTION), InterruptAnswer("i1", "no, not today")


@pytest.mark.parametrize("answer", [PRESSED, SAID], ids=["pressed", "said"])
async def test_a_decision_survives_a_crash_before_any_write(answer: InterruptAnswer, tmp_path: Path) -> None:
    crashes = 0
    while await _crashed(tmp_path / str(crashes), answer, crashes):
        crashes += 1
    assert crashes > 5


async def _crashed(folder: Path, answer: InterruptAnswer, writes: int) -> bool:
    """Whether so many writes did not carry the whole decision out; after the crash all of it is."""
    given = f"given i1={answer.text}"
    agent, gate = ScriptedAgent(asking(MAIL)), Gate()
    async with (
        stopping(gate).open(folder / "parley.db") as store,
        core_on(store, folder, agent, with_buttons(), default_options()) as parley,
    ):
        await parley.say("ask")
        await parley.channel.until_finals(2)
        (key,) = keys(parley)
        if answer is PRESSED:
            await parley.clicks.submit(click(key, answer.text))
        else:
            await parley.say(answer.text)
        gate.left = writes
        stopped = await _first(gate.stopped.wait(), _worked(parley, given))
        await parley.crash()
        before = list(parley.channel.texts)
    async with core(folder, agent=agent, channel=with_buttons()) as parley:
        await parley.say("hello")
        await parley.channel.until(lambda: "you said hello" in parley.channel.texts)
        assert {request.answer.given for request in agent.requests if request.answer} == {(answer,)}
        assert given in [*before, *parley.channel.texts[:-1]]
        assert parley.channel.texts[-1] == "you said hello"
        assert [kind for kind, *_ in await entries(parley)].count("decided") == 1
    return stopped


async def _worked(parley: Core, given: str) -> None:
    asked = [final for final in parley.channel.finals if final.question]
    await parley.channel.until(lambda: given in parley.channel.texts)
    await until_nothing_waits([parley], asked)


async def _first(first: Awaitable[object], second: Awaitable[object]) -> bool:
    """Whether the first ended before the second."""
    tasks = [asyncio.ensure_future(each) for each in (first, second)]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return tasks[0] in done
