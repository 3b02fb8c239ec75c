"""A node that lost a lane and has it again: its new attempt at the turn is not the old one's to end."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from parley.core.model.address import Conversation
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunProgress, RunRef, RunRequest, RunStarted
from parley.core.scheduler.remote_stop import registered
from tests.kit.doubles.core import ScriptedAgent, core
from tests.kit.waiting import until


class InTurn(ScriptedAgent):
    """Each run says half of its answer, and the rest when it is told to."""

    def __init__(self) -> None:
        super().__init__(self.play)
        self.goes_on = [asyncio.Event(), asyncio.Event()]
        self.runs = 0

    async def play(self, _: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        if request.text != "talk":
            yield RunEnded(Outcome.ANSWERED, "")
            return
        number, self.runs = self.runs, self.runs + 1
        yield RunStarted(RunRef(request.thread, f"run-{number}"))
        yield RunProgress(f"half {number}", ())
        await self.goes_on[number].wait()
        yield RunProgress(f"most of {number}", ())
        yield RunEnded(Outcome.ANSWERED, f"whole {number}")


def lose_lanes(folder: Path) -> None:
    """As the store does when a node's lease has ended: anybody may have its turns now."""
    (file,) = folder.rglob("*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE lanes SET node = NULL, ready_at = 0 WHERE queue LIKE 'turns/%'")


async def test_the_first_attempt_ends_without_harming_the_second(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    agent = InTurn()
    async with core(tmp_path, agent=agent) as parley:
        await parley.say("talk")
        await parley.channel.until(lambda: any(each.text == "half 0" for each in parley.channel.shown))
        lose_lanes(tmp_path)
        await parley.say("hi", conversation=Conversation("test", "other"))  # makes the node look for work
        await until(lambda: agent.runs == 2, "the lane is had again")
        agent.goes_on[0].set()
        await until(lambda: "taken over" in caplog.text, "the first attempt is over")
        agent.goes_on[1].set()
        await parley.channel.until(lambda: "whole 1" in parley.channel.texts)
    assert "broke" not in caplog.text


def test_who_took_a_place_keeps_it() -> None:
    book: dict[str, object] = {}
    first, second = object(), object()
    old = registered(book, "x", first)
    old.__enter__()
    with registered(book, "x", second):
        old.__exit__(None, None, None)
        assert book == {"x": second}
    assert book == {}
