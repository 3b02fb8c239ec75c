"""Updates that the bot polls for."""

from __future__ import annotations

import asyncio

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.errors import TelegramErrorResponse
from parley.simulator.telegram.world import TelegramWorld

_TAKEN = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_HOOKED = (
    "Conflict: can't use getUpdates method while webhook is active; "
    "use deleteWebhook to delete the webhook first"
)
_SET = "Conflict: terminated by setWebhook request"


class PollingQueue:
    """getUpdates, with at most one poll waiting; lives on the server's loop."""

    def __init__(self, world: TelegramWorld) -> None:
        self._world = world
        self._loop = asyncio.get_running_loop()
        self._news = world.change_event()
        self._current: asyncio.Future[None] | None = None

    @property
    def waiting(self) -> bool:
        """Return whether a poll is open; from any thread."""
        return self._current is not None

    def drop(self) -> None:
        """Cut the poll that waits now; from any thread."""
        self._loop.call_soon_threadsafe(self._end_current, ConnectionResetError())

    def hooked(self) -> None:
        """End the poll that waits, because there is a webhook now."""
        self._end_current(TelegramErrorResponse(409, _SET))

    def _end_current(self, error: Exception) -> None:
        if self._current is not None and not self._current.done():
            self._current.set_exception(error)

    async def get_updates(self, params: TelegramParams) -> Json:
        """Return updates from `offset` on, as soon as there are any, or nothing after `timeout` seconds."""
        world = self._world
        if world.webhook:
            raise TelegramErrorResponse(409, _HOOKED)
        self._end_current(TelegramErrorResponse(409, _TAKEN))
        ended = self._current = self._loop.create_future()
        try:
            with world.changed:
                self._confirm(params)
            deadline = self._loop.time() + min(50, max(0, params.integer("timeout") or 0))
            return await self._first(ended, deadline, min(100, max(1, params.integer("limit") or 100)))
        finally:
            if self._current is ended:
                self._current = None
            if ended.done() and not ended.cancelled():
                ended.exception()

    async def _first(self, ended: asyncio.Future[None], deadline: float, limit: int) -> Json:
        while True:
            self._news.clear()
            with self._world.changed:
                batch: list[Json] = [*self._world.again, *self._world.waiting]
                self._world.again.clear()
            left = deadline - self._loop.time()
            if batch or left <= 0:
                return batch[:limit]
            news = asyncio.ensure_future(self._heard())
            try:
                await asyncio.wait((news, ended), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                news.cancel()
            if ended.done():
                ended.result()

    async def _heard(self) -> None:
        await self._news.wait()

    def _confirm(self, params: TelegramParams) -> None:
        world, offset = self._world, params.integer("offset") or 0
        if "allowed_updates" in params.values:
            world.allowed = frozenset(str(kind) for kind in params.array("allowed_updates"))
        if offset < 0:
            cut = max(0, len(world.waiting) + offset)
            world.confirmed.extend(world.waiting[:cut])
            del world.waiting[:cut]
        else:
            world.confirmed.extend(update for update in world.waiting if _number(update) < offset)
            world.waiting[:] = [update for update in world.waiting if _number(update) >= offset]
        world.changed.notify_all()


def _number(update: JsonObject) -> int:
    number = update.get("update_id")
    return number if isinstance(number, int) else 0
