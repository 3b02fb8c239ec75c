"""Small channels that live and die as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from parley.core.model.attachments import Attachment
from parley.core.model.types import ReplyTarget
from parley.core.ports.channel import Capabilities, Channel, Checkpoint, Inbox, Reply

Life = Callable[[Inbox], Awaitable[None]]


class ScriptedChannel(Channel):
    """Each connection lives as the next of `lives` says; after the last one it stays up."""

    name = "scripted"
    capabilities = Capabilities(
        max_chars=100,
        edit_interval=1,
        group_edit_interval=1,
        buttons=False,
    )

    def __init__(self, *lives: Life) -> None:
        self._lives = list(lives)
        self.settled = asyncio.Event()

    async def listen(self, inbox: Inbox) -> None:
        if self._lives:
            await self._lives.pop(0)(inbox)
            return
        inbox.online()
        self.settled.set()
        await asyncio.Event().wait()

    def open_reply(self, target: ReplyTarget, checkpoint: Checkpoint) -> Reply:
        raise AssertionError("not spoken to in these tests")

    async def fetch(self, attachment: Attachment, into: Path, limit: int) -> int:
        raise AssertionError("no files in these tests")


def dies_of(error: Exception) -> Life:
    """A connection that fails at once."""

    async def life(inbox: Inbox) -> None:
        raise error

    return life


class Time:
    """A clock that moves only when somebody sleeps, and remembers how long."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def stays_up(self, seconds: float) -> Life:
        """A connection that stands for a while, then ends."""

        async def life(inbox: Inbox) -> None:
            inbox.online()
            self.now += seconds

        return life
