"""What who pressed a button is told. Nothing waits for it: what the press decided is on disk already."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parley.channels.kit.background_tasks import BackgroundTasks
from parley.channels.kit.text import chunks, utf16_length
from parley.channels.telegram.api import TelegramApi
from parley.channels.telegram.formatting import render
from parley.core.model.errors import ChannelError

log = logging.getLogger(__name__)

MAX_NOTIFICATION = 200
"""UTF-16 units that Telegram shows."""


class CallbackAnswers:
    """Answers presses in the background, while it is open."""

    def __init__(self, api: TelegramApi) -> None:
        self._api = api
        self._tasks: BackgroundTasks | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer meanwhile; what is under way at the end is left."""
        async with BackgroundTasks() as self._tasks:
            try:
                yield
            finally:
                self._tasks = None

    def tell(self, query: str, text: str) -> None:
        """Show a text to who pressed, once, and end the button's waiting; returns at once."""
        if self._tasks is not None:
            self._tasks.run(self._tell(query, notification_text(text)))

    async def _tell(self, query: str, text: str) -> None:
        try:
            await self._api.answer(query, text)
        except ChannelError as error:
            # Mostly because the press came again after a crash, and nobody waits any more.
            log.info("telegram: a press could not be answered: %s", error)


def notification_text(text: str) -> str:
    """Return a text as Telegram shows it over a chat: without marks, and cut."""
    plain = "\n".join(part.text for part in render(text)).strip()
    if utf16_length(plain) <= MAX_NOTIFICATION:
        return plain
    return next(iter(chunks(plain, MAX_NOTIFICATION - 1, utf16_length))).strip() + "…"
