"""Reactions as receipts: there while a message is being answered, and in nobody's way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from parley.channels.kit.receipts import AFTER_REFUSAL, MAX_WAITING, Receipts
from parley.core.model.address import Conversation, User
from parley.core.model.errors import ChannelError, ChannelUnavailable, DeliveryRejected, RateLimited
from parley.core.model.types import OutboundMessage, Receipt, ReplyTarget
from parley.core.ports.channel import Reply
from tests.kit.virtual_time import loop_time, run_in_virtual_time

PLACE = Conversation("chat", "c1")
ASKER = User("chat", "alice")
FINAL = OutboundMessage("t1", PLACE, "m1", "done", final=True)


def target(message: str = "m1", handle: str = "") -> ReplyTarget:
    return ReplyTarget("t1", PLACE, message, ASKER, private=True, handle=handle)


class Platform:
    """Notes what stands on which message, and fails as told, one error a call."""

    def __init__(self, *errors: ChannelError, takes: float = 0.0) -> None:
        self.calls: list[str] = []
        self.marks: dict[str, str] = {}
        self._errors = list(errors)
        self._takes = takes

    async def set_receipt(self, target: ReplyTarget) -> str:
        await self._call("set", target)
        self.marks[target.reply_to] = f"mark-{target.reply_to}"
        return self.marks[target.reply_to]

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        await self._call("clear", target)
        assert mark in ("", self.marks.get(target.reply_to))
        self.marks.pop(target.reply_to, None)

    async def _call(self, what: str, target: ReplyTarget) -> None:
        self.calls.append(f"{what} {target.reply_to}")
        await asyncio.sleep(self._takes)
        if self._errors:
            raise self._errors.pop(0)


class Answer(Reply):
    """A reply that arrives, or fails in the end."""

    def __init__(self, error: ChannelError | None = None) -> None:
        self.error = error

    async def show(self, snapshot: OutboundMessage) -> None:
        pass

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        if self.error:
            raise self.error
        return Receipt(("x",))


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[Receipts]:
    receipts = Receipts(platform, loop_time)
    task = asyncio.create_task(receipts.run())
    try:
        yield receipts
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@run_in_virtual_time
async def test_a_receipt_stands_from_the_first_snapshot_to_the_final():
    platform = Platform(takes=0.1)
    async with running(platform) as receipts:
        reply = receipts.around(Answer(), target())
        await reply.show(FINAL)
        await reply.show(FINAL)
        await asyncio.sleep(1)
        assert platform.marks == {"m1": "mark-m1"}
        assert await reply.finish(FINAL) == Receipt(("x",))
        await asyncio.sleep(1)
    assert platform.calls == ["set m1", "clear m1"]
    assert platform.marks == {}


@run_in_virtual_time
async def test_a_final_that_comes_while_the_receipt_is_being_set_has_it_taken_away_afterwards():
    platform = Platform(takes=1)
    async with running(platform) as receipts:
        reply = receipts.around(Answer(), target())
        await reply.show(FINAL)
        await asyncio.sleep(0.1)
        await reply.finish(FINAL)
        await asyncio.sleep(5)
    assert platform.calls == ["set m1", "clear m1"]
    assert platform.marks == {}


@run_in_virtual_time
async def test_what_is_answered_at_once_gets_none():
    platform = Platform()
    async with running(platform) as receipts:
        command = receipts.around(Answer(), target())
        await command.finish(FINAL)
        quick = receipts.around(Answer(), target("m2"))
        await quick.show(FINAL)
        await quick.finish(FINAL)
        await asyncio.sleep(1)
    assert platform.calls == []


@run_in_virtual_time
async def test_a_reply_taken_over_from_another_process_clears_what_that_set():
    platform = Platform()
    async with running(platform) as receipts:
        await receipts.around(Answer(), target(handle="noted")).finish(FINAL)
        await asyncio.sleep(1)
    assert platform.calls == ["clear m1"]


@run_in_virtual_time
async def test_it_stays_while_a_final_is_tried_again_and_goes_when_it_is_refused():
    platform = Platform()
    async with running(platform) as receipts:
        answer = Answer(ChannelUnavailable("away"))
        reply = receipts.around(answer, target())
        await reply.show(FINAL)
        await asyncio.sleep(1)
        with pytest.raises(ChannelUnavailable):
            await reply.finish(FINAL)
        await asyncio.sleep(1)
        assert platform.marks
        answer.error = DeliveryRejected("never")
        with pytest.raises(DeliveryRejected):
            await reply.finish(FINAL)
        await asyncio.sleep(1)
    assert platform.marks == {}


@run_in_virtual_time
async def test_a_platform_that_hangs_holds_nothing_up():
    platform = Platform(takes=1e9)
    async with running(platform) as receipts:
        began = loop_time()
        reply = receipts.around(Answer(), target())
        await reply.show(FINAL)
        await reply.finish(FINAL)
        assert loop_time() == began


@run_in_virtual_time
async def test_a_refusal_for_good_is_not_asked_for_again_for_a_while():
    platform = Platform(DeliveryRejected("no permission"))
    async with running(platform) as receipts:
        for number in range(3):
            reply = receipts.around(Answer(), target(f"m{number}"))
            await reply.show(FINAL)
            await asyncio.sleep(1)
            await reply.finish(FINAL)
            await asyncio.sleep(1)
        assert platform.calls == ["set m0"]
        await asyncio.sleep(AFTER_REFUSAL)
        receipts.begin(target("m9"))
        await asyncio.sleep(1)
    assert platform.calls == ["set m0", "set m9"]


@run_in_virtual_time
async def test_taking_it_away_is_tried_again():
    platform = Platform()
    async with running(platform) as receipts:
        receipts.begin(target())
        await asyncio.sleep(1)
        platform._errors = [RateLimited("slowly", 2.0), ChannelUnavailable("away")]
        receipts.end(target())
        await asyncio.sleep(10)
    assert platform.calls == ["set m1", "clear m1", "clear m1", "clear m1"]
    assert platform.marks == {}


@run_in_virtual_time
async def test_only_so_many_wait_and_they_wait_for_the_connection():
    platform = Platform()
    receipts = Receipts(platform, loop_time)
    for number in range(MAX_WAITING + 50):
        receipts.begin(target(f"m{number}"))
    receipts.begin(replace(target(), reply_to="late"))
    task = asyncio.create_task(receipts.run())
    await asyncio.sleep(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert len(platform.calls) == MAX_WAITING
