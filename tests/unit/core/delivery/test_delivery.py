"""What a snapshot has to wait for delays only snapshots; what is sent tells how much it matters."""

from __future__ import annotations

import asyncio

from parley.core.delivery.delivery import Delivery
from parley.core.model.address import Conversation
from parley.core.model.errors import ChannelUnavailable, RateLimited
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply
from parley.core.ports.sending import Priority, Sending, current_sending
from tests.kit.machine import patience

AN_HOUR = 3600.0


class StubbornReply(Reply):
    """Refuses every snapshot, in one way."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.asked = asyncio.Event()
        self.sent: list[Sending] = []

    async def show(self, snapshot: OutboundMessage) -> None:
        self.sent.append(current_sending())
        self.asked.set()
        raise self._error

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        self.sent.append(current_sending())
        return Receipt(("1",))


def message(text: str) -> OutboundMessage:
    return OutboundMessage("turn", Conversation("test", "chat"), "1", text)


async def finished_after(error: Exception) -> StubbornReply:
    """A reply whose snapshot failed so, and whose end was delivered nevertheless."""
    reply = StubbornReply(error)
    delivery = Delivery(reply, AN_HOUR, priority=Priority.FINAL)
    async with asyncio.timeout(patience(10)):
        async with delivery.showing():
            delivery.offer(message("so far"))
            await reply.asked.wait()
        await delivery.finish(message("all"))
    return reply


async def test_a_final_does_not_wait_for_what_a_snapshot_was_refused():
    reply = await finished_after(RateLimited("slowly", AN_HOUR))
    assert [each.priority for each in reply.sent] == [Priority.SNAPSHOT, Priority.FINAL]
    assert {each.reply for each in reply.sent} == {reply}


async def test_a_final_does_not_wait_because_a_snapshot_did_not_arrive():
    await finished_after(ChannelUnavailable("away"))


class HesitantReply(StubbornReply):
    """Refuses the first snapshot only."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.shown = asyncio.Event()

    async def show(self, snapshot: OutboundMessage) -> None:
        if not self.asked.is_set():
            await super().show(snapshot)
        self.shown.set()


async def test_what_did_not_arrive_is_shown_again_while_the_agent_says_nothing_more():
    reply = HesitantReply(ChannelUnavailable("away"))
    delivery = Delivery(reply, 0.0)
    async with asyncio.timeout(patience(10)), delivery.showing():
        delivery.offer(message("so far"))
        await reply.shown.wait()


async def test_what_no_run_is_needed_for_goes_before_all():
    reply = StubbornReply(RateLimited("slowly", AN_HOUR))
    await Delivery(reply, 0.0).finish(message("the answer to a command"))
    assert [each.priority for each in reply.sent] == [Priority.CONTROL]


class SlowReply(Reply):
    """Is shown one snapshot for as long as nobody lets it go on."""

    def __init__(self) -> None:
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()
        self.shown: list[str] = []

    async def show(self, snapshot: OutboundMessage) -> None:
        self.shown.append(snapshot.text)
        self.asked.set()
        await self.goes_on.wait()

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        return Receipt(("1",))


async def test_who_is_cancelled_twice_leaves_nobody_behind_who_shows_snapshots():
    reply = SlowReply()
    delivery = Delivery(reply, 0.0)

    async def turn() -> None:
        async with delivery.showing():
            delivery.offer(message("so far"))
            await asyncio.Event().wait()

    before = asyncio.all_tasks()
    turning = asyncio.create_task(turn())
    async with asyncio.timeout(patience(10)):
        await reply.asked.wait()
        turning.cancel()
        await asyncio.sleep(0)  # it waits for the snapshot on its way
        turning.cancel()
        await asyncio.wait({turning})
        delivery.offer(message("later"))
        reply.goes_on.set()
        while left := asyncio.all_tasks() - before:
            await asyncio.wait(left)
    assert reply.shown == ["so far"]
