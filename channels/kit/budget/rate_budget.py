"""One budget for all replies of a channel, as its platform counts.

Ends of replies find room that was kept for them, or wait for it in their order. Snapshots never wait here:
where there is no room they are sent away, and the newest of them comes back. The more replies grow, the
less often each is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from weakref import WeakKeyDictionary

from parley.channels.kit.budget.call_log import CallLog
from parley.channels.kit.budget.limits import CountedCalls
from parley.channels.kit.errors import SnapshotDeferred
from parley.core.model.errors import RateLimited
from parley.core.ports.lease import require_lease
from parley.core.ports.sending import Priority, Sending, current_sending

SHORTEST_WAIT = 0.001
MOST_KEPT = 1000
"""So many kinds of calls (chats, above all) are remembered before idle ones are forgotten."""


class RateBudget:
    """What an app may do. `clock` is monotonic."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._logs: dict[str, CallLog] = {}
        self._growing: WeakKeyDictionary[object, set[CallLog]] = WeakKeyDictionary()
        self._numbers = count()

    @asynccontextmanager
    async def call(self, *counted: CountedCalls) -> AsyncIterator[None]:
        """Make one call inside, once every kind that it counts as has room for it.

        A refusal inside (RateLimited) is held against the first kind. Raises SnapshotDeferred for a snapshot
        that has no room, LaneLost when that was lost while waiting.
        """
        logs = [self._log(each) for each in counted]
        await self._admit(logs, current_sending())
        try:
            yield
        except RateLimited as limit:
            if logs:
                logs[0].refuse(limit.retry_after, self._clock())
            raise
        finally:
            now = self._clock()
            for log in logs:
                log.end(now)

    async def _admit(self, logs: list[CallLog], sending: Sending) -> None:
        """Return once the call may be made, and is counted."""
        if sending.priority is Priority.SNAPSHOT:
            self._admit_snapshot(logs, sending)
        else:
            if sending.priority is Priority.FINAL:
                self._forget(sending.reply)
            await self._wait_for_room(logs, sending.priority)
        for log in logs:
            log.begin()

    def _admit_snapshot(self, logs: list[CallLog], snapshot: Sending) -> None:
        if not logs:
            return
        now = self._clock()
        self._growing.setdefault(snapshot.reply, set()).update(logs)
        wait = max(log.snapshot_wait(snapshot, now) for log in logs)
        if wait > 0:
            raise SnapshotDeferred("many answers grow at once", wait)
        for log in logs:
            log.take(snapshot, now)

    async def _wait_for_room(self, logs: list[CallLog], priority: Priority) -> None:
        rank, waited = (int(priority), next(self._numbers)), False
        for log in logs:
            log.queue(rank)
        try:
            while wait := self._wait_of(logs, rank):
                waited = True
                await self._sleep(max(wait, SHORTEST_WAIT))
        finally:
            for log in logs:
                log.leave(rank)
        if waited:
            require_lease()

    def _forget(self, reply: object) -> None:
        for log in self._growing.pop(reply, ()):
            log.forget(reply)

    def _wait_of(self, logs: list[CallLog], rank: tuple[int, int]) -> float:
        now = self._clock()
        return max((log.wait_of(rank, now) for log in logs), default=0.0)

    def _log(self, counted: CountedCalls) -> CallLog:
        log = self._logs.get(counted.key)
        if log is None:
            if len(self._logs) >= MOST_KEPT:
                now = self._clock()
                self._logs = {key: each for key, each in self._logs.items() if not each.is_idle(now)}
            log = self._logs[counted.key] = CallLog(counted)
        return log
