"""Updates that we ask Telegram for. They are confirmed only when all of a batch is on disk."""

from __future__ import annotations

import asyncio
import logging

from parley.channels.kit.retry import retry
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


class Polling:
    """Long polls, one after the other."""

    def __init__(self, api: TelegramApi, intake: UpdateHandler) -> None:
        self._api = api
        self._intake = intake
        self._offset = 0

    async def run(self, listener: TelegramInboundContext) -> None:
        """Poll until cancelled. Raises ChannelError; what was not confirmed comes again."""
        while True:
            batch = await self._api.updates(self._offset, UPDATE_KINDS)
            for raw in batch:
                await self._take(raw, listener)
            await self._confirm(batch)

    async def _confirm(self, batch: list[Json]) -> None:
        numbers = [number for raw in batch if 0 < (number := update_id_of(raw)) < _MOST]
        # An empty answer means that all is confirmed. Starting from zero then, we are not deaf when Telegram
        # begins to number anew at random, as it does after a quiet week.
        self._offset = max(numbers) + 1 if numbers else 0
        if batch and not numbers:
            await asyncio.sleep(1.0)

    async def _take(self, raw: Json, listener: TelegramInboundContext) -> None:
        number = update_id_of(raw)
        await retry(
            lambda: self._intake.take(raw, listener),
            lambda error: log.warning("telegram: update %s waits, the store is away (%s)", number, error),
        )
