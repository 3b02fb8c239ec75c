"""Updates that we ask Telegram for. They are confirmed only when all of a batch is on disk."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from parley.channels.kit.retry import RetryPauses, log_wait, retry
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.inbound.update_handler import (
    TelegramInboundContext,
    UpdateHandler,
    update_id_of,
)
from parley.channels.telegram.inbound.update_parser import UPDATE_KINDS
from parley.core.model.types import Json

log = logging.getLogger(__name__)

_MOST = 2**62
_QUICK = 1.0
"""Seconds in which no poll ends with nothing, unless the server does not wait."""
_PAUSES = RetryPauses(0.25, 30.0)
_LONGEST_WITHOUT_NEWS = 2.0


class Polling:
    """Long polls, one after the other; one after which nothing is known that was not before has a pause."""

    def __init__(
        self,
        api: TelegramApi,
        intake: UpdateHandler,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._api = api
        self._intake = intake
        self._sleep = sleep
        self._offset = 0
        self._pauses = iter(_PAUSES)

    async def run(self, listener: TelegramInboundContext) -> None:
        """Poll until cancelled. Raises ChannelError; what was not confirmed comes again."""
        while True:
            begun = _now()
            batch = await self._api.updates(self._offset, UPDATE_KINDS)
            if not batch:
                await self._rest_unless(_now() - begun >= _QUICK, _LONGEST_WITHOUT_NEWS)
            read = [await self._take(raw, listener) for raw in batch]
            fresh = self._confirm(batch)
            if batch:
                await self._rest_unless(fresh and any(read))

    def _confirm(self, batch: list[Json]) -> bool:
        """Confirm a batch with the next poll; tell whether there was anything that we had not had."""
        numbers = [number for raw in batch if 0 < (number := update_id_of(raw)) < _MOST]
        fresh = bool(numbers) and max(numbers) >= self._offset
        # An empty answer means that all is confirmed. Starting from zero then, we are not deaf when Telegram
        # begins to number anew at random, as it does after a quiet week.
        self._offset = max(numbers) + 1 if numbers else 0
        return fresh

    async def _rest_unless(self, fruitful: bool, most: float = _PAUSES.longest) -> None:
        """Pause for longer each time in a row that a server repeats itself, or says what nobody can read."""
        if fruitful:
            self._pauses = iter(_PAUSES)
        else:
            await self._sleep(min(most, next(self._pauses)))

    async def _take(self, raw: Json, listener: TelegramInboundContext) -> bool:
        number = update_id_of(raw)
        return await retry(
            lambda: self._intake.take(raw, listener),
            log_wait(log, f"telegram: update {number}"),
        )


def _now() -> float:
    return asyncio.get_running_loop().time()
