"""What the page waits for during the set-up: that somebody scans a code, or writes to the bot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace

from parley.app.settings.channel_registry import channel_registration
from parley.app.settings.load import LoadedSettings
from parley.app.setup.first_message import receive_first_message
from parley.app.setup.qr_code import qr_rows
from parley.channels.kit.registration import RegisteredApp, ScanAddress
from parley.console.api.setup_state import SetupScan, SetupWait
from parley.core.model.errors import ParleyError
from parley.core.model.sanitize import sanitize_name, sanitize_text
from parley.core.model.types import InboundMessage
from parley.core.texts import SetupSentence

_PATIENCE = 900.0
"""Seconds for a first message: a bot that nobody writes to is not listened to for ever."""
_SHOWN = 80


class SetupWaiting:
    """One scan or wait at a time: what is shown of it, and why the last one ended without success."""

    def __init__(self) -> None:
        self.scan: SetupScan | None = None
        self.wait: SetupWait | None = None
        self.message: InboundMessage | None = None
        self.problem: str | SetupSentence = ""
        self._task: asyncio.Task[None] | None = None
        self._declined: set[str] = set()

    async def scan_for(
        self, channel: str, server: str, take: Callable[[RegisteredApp], Awaitable[None]]
    ) -> None:
        """Have an app made, and give it to `take`."""
        register = channel_registration(channel)
        await self.end()
        self.scan = SetupScan(channel)

        async def show(address: ScanAddress) -> None:
            self.scan = SetupScan(channel, address.url, qr_rows(address.url))

        async def work() -> None:
            await take(await register(show, server))

        self._begin(work())

    async def hear(self, channel: str, loaded: LoadedSettings) -> None:
        """Wait for the first message to a bot; the one that is shown is not it."""
        if self.message is not None:
            self._declined.add(self.message.id)
        await self.end()
        self.wait = waiting = SetupWait(channel)

        def ready() -> None:
            self.wait = replace(waiting, ready=True)

        async def work() -> None:
            async with asyncio.timeout(_PATIENCE):
                self.message = message = await receive_first_message(loaded, channel, ready, self._declined)
            words = sanitize_text(message.text[:_SHOWN]).replace("\n", " ")
            self.wait = SetupWait(channel, True, message.sender.id, person_name(message), words)

        self._begin(work())

    async def end(self) -> None:
        """Wait no longer."""
        task, self._task = self._task, None
        # What ends the wait may be what was waited for: the app that `take` keeps.
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self.scan, self.wait, self.message, self.problem = None, None, None, ""

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        self._task = asyncio.create_task(self._watch(work), name="set-up")

    async def _watch(self, work: Coroutine[object, object, None]) -> None:
        problem: str | SetupSentence = SetupSentence.WENT_WRONG
        try:
            await work
            problem = ""
        except ParleyError as error:
            problem = error.user_text
        except TimeoutError:
            problem = SetupSentence.ADMIN_NOBODY
        finally:
            if problem:
                self.scan, self.wait, self.problem = None, None, problem


def person_name(message: InboundMessage) -> str:
    """Return what to call whoever wrote a message."""
    return sanitize_name(message.sender.name) or message.sender.id
