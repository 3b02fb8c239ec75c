"""Snapshots to a platform: the newest one at the platform's pace, and the final one until it arrives."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TypeVar

from parley.core.delivery.loop_throttle import UNTHROTTLED, LoopThrottle
from parley.core.model.errors import ChannelError, DeliveryRejected, RateLimited
from parley.core.model.types import OutboundMessage, Receipt
from parley.core.ports.channel import Reply
from parley.core.ports.lease import lease_expired, require_lease
from parley.core.ports.sending import Priority, WaitObserver, ignore_wait, sending

log = logging.getLogger(__name__)

Sent = TypeVar("Sent")

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 60.0


def backoff(attempt: int) -> float:
    """Return the pause before try `attempt` + 1: half a second, doubling to a minute, with full jitter."""
    ceiling = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 10))
    return ceiling * (0.5 + random.random() / 2)


def ignore_cut(message: OutboundMessage) -> None:
    """Let nobody know of a call that a lapsed lease ended."""


class Delivery:
    """One reply on its way. `offer` never waits, so a slow platform never slows who makes the snapshots.

    Whatever is shown goes through `turnstile` first. `priority` is that of what is delivered for good;
    what a snapshot has to wait for never delays it. `waited` is told of waits for the platform, `cut` of
    what was under way when this node's lease ended.
    """

    def __init__(
        self,
        reply: Reply,
        interval: float,
        turnstile: LoopThrottle = UNTHROTTLED,
        priority: Priority = Priority.CONTROL,
        waited: WaitObserver = ignore_wait,
        cut: Callable[[OutboundMessage], None] = ignore_cut,
    ) -> None:
        self._reply = reply
        self._interval = interval
        self._turnstile = turnstile
        self._priority = priority
        self._waited = waited
        self._cut = cut
        self._newest: OutboundMessage | None = None
        self._fresh = asyncio.Event()
        self._wire = asyncio.Lock()
        self._next_snapshot = 0.0

    def offer(self, snapshot: OutboundMessage) -> None:
        """Show this soon, unless a newer one comes first."""
        self._newest = snapshot
        self._fresh.set()

    @asynccontextmanager
    async def showing(self) -> AsyncIterator[None]:
        """While open, offered snapshots are shown; a snapshot on its way is let arrive at the end."""
        task = asyncio.create_task(self._show_newest())
        try:
            yield
        finally:
            try:
                async with self._wire:
                    task.cancel()
                await asyncio.wait({task})
            finally:
                # Who is cancelled once more meanwhile leaves nobody behind.
                task.cancel()
                task.add_done_callback(_error_of)
            broken = _error_of(task)
        # Only when nothing else went wrong: above all a cancellation must stay one.
        if broken is not None:
            raise broken

    async def finish(self, snapshot: OutboundMessage) -> Receipt:
        """Deliver the final snapshot, trying for as long as it takes.

        Raises DeliveryRejected when the platform will never take it, LaneLost when it is not ours to send.
        """
        receipt = await self._until_arrived(snapshot, lambda: self._reply.finish(snapshot))
        return replace(receipt, doubtful=True) if lease_expired() else receipt

    async def settle(self, snapshot: OutboundMessage) -> None:
        """Rewrite a question's message, trying for as long as it takes. Raises DeliveryRejected."""
        await self._until_arrived(snapshot, lambda: self._reply.settle(snapshot))

    async def rewrite(self, snapshot: OutboundMessage) -> None:
        """Write a delivered final once more, trying for as long as it takes. Raises DeliveryRejected."""
        await self._until_arrived(snapshot, lambda: self._reply.rewrite(snapshot))

    async def _until_arrived(self, snapshot: OutboundMessage, send: Callable[[], Awaitable[Sent]]) -> Sent:
        attempt = 0
        while True:
            await self._turnstile.wait_turn()
            require_lease()
            try:
                with self._watched(snapshot), sending(self._priority, self._reply, self._waited):
                    return await send()
            except DeliveryRejected:
                raise
            except RateLimited as limit:
                pause = limit.retry_after
                self._waited(self._priority, pause)
            except ChannelError as error:
                pause = backoff(attempt)
                log.warning(
                    "turn %s: final not delivered (%s); again in %.1f s", snapshot.turn_id, error, pause
                )
                attempt += 1
            await asyncio.sleep(pause)

    async def _show_newest(self) -> None:
        while True:
            await self._fresh.wait()
            await asyncio.sleep(self._next_snapshot - _now())
            await self._turnstile.wait_turn()
            self._fresh.clear()
            async with self._wire:
                await self._show_once()
            await asyncio.sleep(self._interval)

    async def _show_once(self) -> None:
        snapshot = self._newest
        if snapshot is None:
            return
        require_lease()
        try:
            with self._watched(snapshot), sending(Priority.SNAPSHOT, self._reply):
                await self._reply.show(snapshot)
        except RateLimited as limit:
            self._next_snapshot = _now() + limit.retry_after
            self._waited(Priority.SNAPSHOT, limit.retry_after)
            self._fresh.set()
        except ChannelError as error:
            # The next one, or the final, holds all of it; but the agent may be silent for long before that.
            log.info("turn %s: snapshot not shown (%s)", snapshot.turn_id, error)
            self._next_snapshot = _now() + min(max(10 * self._interval, FIRST_PAUSE), 30.0)
            if not isinstance(error, DeliveryRejected):
                self._fresh.set()

    @contextmanager
    def _watched(self, snapshot: OutboundMessage) -> Iterator[None]:
        """Report a call that the lease ended under."""
        try:
            yield
        finally:
            if lease_expired():
                self._cut(snapshot)


def _error_of(task: asyncio.Task[None]) -> BaseException | None:
    return None if task.cancelled() else task.exception()


def _now() -> float:
    return asyncio.get_running_loop().time()
