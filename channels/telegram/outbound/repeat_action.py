"""What must be said again and again while nothing new happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from parley.core.model.errors import ChannelError, LaneLost, RateLimited

LONGEST = 900.0
"""Seconds after which it falls silent, should nobody stop it."""


class RepeatedAction:
    """Repeats one action in the background; its failures are nobody's business.

    It ends at the latest with the task that started it: a reply that is given up must not go on typing.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def start(self, interval: float, action: Callable[[], Awaitable[None]]) -> None:
        """Repeat `action` every `interval` seconds, first after one; nothing else may be going on."""
        task = self._task = asyncio.create_task(_repeat(interval, action))
        owner = asyncio.current_task()
        if owner is not None:
            _bind(task, owner)

    async def stop(self) -> None:
        """Return when the action neither runs nor will run again."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _bind(task: asyncio.Task[None], owner: asyncio.Task[object]) -> None:
    def cancel(_: asyncio.Task[object]) -> None:
        task.cancel()

    owner.add_done_callback(cancel)
    task.add_done_callback(lambda _: owner.remove_done_callback(cancel))


async def _repeat(interval: float, action: Callable[[], Awaitable[None]]) -> None:
    for _ in range(round(LONGEST / interval)):
        await asyncio.sleep(interval)
        try:
            await action()
        except RateLimited as limit:
            await asyncio.sleep(limit.retry_after)
        except ChannelError:
            continue
        except LaneLost:
            return  # the turn is another node's now, or this one is ending
