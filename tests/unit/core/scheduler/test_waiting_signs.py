"""People whose message waits for a free place see that, a few at a time, and no longer than it is true."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from parley.core.model.address import Conversation, User
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Outcome, RunEnded, RunEvent, RunRef, RunRequest, RunStarted
from parley.core.ports.journal import QueueItem
from parley.core.scheduler import waiting_signs
from parley.core.scheduler.waiting_signs import AT_ONCE, MOST, SHOWN_AFTER, WaitingSigns
from parley.store.sqlite import SqliteStore
from tests.kit.doubles.core import Core, ScriptedAgent, core, default_options, message
from tests.kit.waiting import until


@asynccontextmanager
async def full(
    folder: Path, most: int = 1
) -> AsyncIterator[tuple[Core, WaitingSigns, list[float], asyncio.Event]]:
    """A core that is asked for one turn, which is all that it may work, and whose time the test passes."""
    gate, now = asyncio.Event(), [0.0]

    async def slow(_: ScriptedAgent, request: RunRequest) -> AsyncIterator[RunEvent]:
        yield RunStarted(RunRef(request.thread, f"run of {request.turn_id}"))
        await gate.wait()
        yield RunEnded(Outcome.ANSWERED, f"you said {request.text}")

    async with core(folder, agent=ScriptedAgent(slow), options=default_options(max_turns=most)) as parley:
        signs = parley.manager._signs
        signs._clock = lambda: now[0]
        await say(parley, 0)
        await parley.agent.until_asked()
        yield parley, signs, now, gate


@pytest.fixture(autouse=True)
def _no_looks_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_signs, "_LOOK_EVERY", 3600.0)


async def say(parley: Core, number: int) -> str:
    """Ann writes first, and Bob then, each time in another conversation; the id of the message."""
    sender = User("test", "bob" if number else "ann")
    said = message(str(number), conversation=Conversation("test", f"chat {number}"), sender=sender)
    await parley.bus.publish_inbound(said)
    return said.id


async def test_who_waits_for_a_place_sees_it_and_no_longer_once_answered(tmp_path: Path) -> None:
    async with full(tmp_path) as (parley, signs, now, gate):
        waits = await say(parley, 1)
        now[0] = SHOWN_AFTER - 0.1
        await signs.look()
        assert parley.channel.waiting == []
        now[0] = SHOWN_AFTER
        await signs.look()
        await signs.look()
        assert parley.channel.waiting == [(waits, True)], "once, and not for whose turn has begun"
        gate.set()
        await parley.channel.until(lambda: len(parley.channel.waiting) == 2)
        assert parley.channel.waiting[-1] == (waits, False)
        assert set(await parley.channel.until_finals(2)) == {"you said 0", "you said 1"}


async def test_a_message_that_is_taken_back_loses_its_sign(tmp_path: Path) -> None:
    async with full(tmp_path) as (parley, signs, now, _):
        waits = await say(parley, 1)
        now[0] = SHOWN_AFTER
        await signs.look()
        (item,) = await parley.journal.waiting("turns/test", "test:chat 1")
        assert await parley.journal.withdraw("turns/test", "test:chat 1", item.id)
        await signs.look()
        assert parley.channel.waiting == [(waits, True), (waits, False)]
        await signs.look()
        assert len(parley.channel.waiting) == 2


async def test_who_waits_for_their_own_conversation_or_for_nothing_sees_none(tmp_path: Path) -> None:
    async with full(tmp_path) as (parley, signs, now, gate):
        await say(parley, 0)  # behind the turn of its own conversation
        now[0] = SHOWN_AFTER
        await signs.look()
        gate.set()
        await parley.channel.until_finals(2)
        await say(parley, 1)
        await parley.channel.until_finals(3)
        now[0] = 2 * SHOWN_AFTER
        await signs.look()
        assert parley.channel.waiting == []


async def test_one_account_that_has_its_share_is_told_so_while_others_have_room(tmp_path: Path) -> None:
    async with full(tmp_path, most=2) as (parley, signs, now, gate):
        again = message("1", conversation=Conversation("test", "other"), sender=User("test", "ann"))
        await parley.bus.publish_inbound(again)
        now[0] = SHOWN_AFTER
        await signs.look()
        assert parley.channel.waiting == [(again.id, True)]
        gate.set()
        await parley.channel.until_finals(2)


async def test_ten_thousand_who_wait_cost_a_few_calls_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with full(tmp_path) as (parley, signs, now, _):
        reads, waiting = list[str](), SqliteStore.waiting

        async def counted(store: SqliteStore, queue: str, lane: str) -> tuple[QueueItem, ...]:
            reads.append(lane)
            return await waiting(store, queue, lane)

        await asyncio.gather(*[say(parley, number) for number in range(1, 10_001)])
        assert len(signs._new) == MOST
        monkeypatch.setattr(SqliteStore, "waiting", counted)
        now[0] = SHOWN_AFTER
        for look in range(1, 6):
            await signs.look()
            assert len(parley.channel.waiting) == look * AT_ONCE
            assert len(reads) <= look * 2 * AT_ONCE
        assert all(waits for _, waits in parley.channel.waiting)


async def test_a_platform_that_refuses_a_sign_is_in_nobodys_way(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with full(tmp_path) as (parley, signs, now, gate):
        parley.channel.waiting_errors.append(ChannelUnavailable("not now"))
        await say(parley, 1)
        now[0] = SHOWN_AFTER
        await signs.look()
        gate.set()
        assert set(await parley.channel.until_finals(2)) == {"you said 0", "you said 1"}


async def test_it_looks_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_signs, "_LOOK_EVERY", 0.01)
    async with full(tmp_path) as (parley, _, now, _):
        waits = await say(parley, 1)
        now[0] = SHOWN_AFTER
        await until(lambda: parley.channel.waiting == [(waits, True)], "the manager looks")
