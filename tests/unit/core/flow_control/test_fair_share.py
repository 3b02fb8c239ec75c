"""No account takes all places, whatever it sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from parley.core.flow_control.fair_share import FairShare
from parley.core.model.address import Conversation, User
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from tests.kit.doubles.core import ScriptedAgent, core, default_options
from tests.kit.machine import patience


async def settled() -> None:
    """Let everything that can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_places_are_given_in_the_order_of_asking() -> None:
    shares, came = FairShare(1), []

    async def come(name: int) -> None:
        await shares.acquire("ann")
        came.append(name)

    assert shares.try_acquire("ann")
    assert not shares.try_acquire("ann")
    assert shares.try_acquire("bob")
    tasks = [asyncio.create_task(come(number)) for number in range(3)]
    await settled()
    assert came == []
    for number in range(3):
        shares.release("ann")
        await settled()
        assert came == list(range(number + 1))
    assert not shares.try_acquire("ann")
    shares.release("ann")
    assert shares.try_acquire("ann")
    await asyncio.gather(*tasks)


@pytest.mark.parametrize("at_the_last_moment", [False, True])
async def test_who_goes_away_leaves_the_place_to_the_next(at_the_last_moment: bool) -> None:
    shares = FairShare(1)
    assert shares.try_acquire("ann")
    first, second = (asyncio.create_task(shares.acquire("ann")) for _ in range(2))
    await settled()
    if at_the_last_moment:
        shares.release("ann")
        first.cancel()
    else:
        first.cancel()
        await settled()
        shares.release("ann")
    await asyncio.wait_for(second, patience(5))
    assert first.cancelled()
    shares.release("ann")
    assert shares.try_acquire("ann")


async def test_once_closed_nobody_waits_any_more() -> None:
    shares = FairShare(1)
    assert shares.try_acquire("ann")
    waiting = asyncio.create_task(shares.acquire("ann"))
    await settled()
    shares.close()
    later = asyncio.create_task(shares.acquire("ann"))
    await asyncio.wait({waiting, later})
    assert waiting.cancelled()
    assert later.cancelled()


async def test_a_flood_in_many_chats_leaves_places_for_others(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        if request.person.id == "ann":
            await gate.wait()
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    agent = ScriptedAgent(slow)
    async with core(tmp_path, agent=agent, options=default_options(max_turns=6)) as parley:
        for number in range(30):
            await parley.say(str(number), conversation=Conversation("test", f"chat {number}"))
        for number in range(8):
            place = Conversation("test", f"bob {number}")
            await parley.say("hi", conversation=place, sender=User("test", "bob", "Bob"))
        assert set(await parley.channel.until_finals(8)) == {"you said hi"}
        assert sum(request.person.id == "ann" for request in agent.requests) == 3
        gate.set()
        texts = await parley.channel.until_finals(38)
        assert set(texts) == {"you said hi", *(f"you said {number}" for number in range(30))}


async def test_what_waits_for_a_place_may_still_be_taken_back(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        await gate.wait()
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    async with core(tmp_path, agent=ScriptedAgent(slow), options=default_options(max_turns=2)) as parley:
        await parley.say("one", conversation=Conversation("test", "first"))
        await parley.agent.until_asked()
        second = Conversation("test", "second")
        await parley.say("two", conversation=second)
        await parley.say("/new", conversation=second)
        (text,) = await parley.channel.until_finals(1)
        assert "that were dropped: 1" in text
        gate.set()
        await parley.say("three", conversation=second)
        texts = await parley.channel.until_finals(3)
        assert sorted(texts[1:]) == ["you said one", "you said three"]
