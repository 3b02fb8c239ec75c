"""The walk with an operator through a real account, through the channel's own code and no agent."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from parley.app.live.recorder import Recorder
from parley.app.live.steps import ASKED, GREETING, LONG, SETTLED, Answer, LiveStep, growing, progress
from parley.core.model.errors import ChannelError, RateLimited
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel

_MOST_FILE = 10_000_000
_LONGEST_PAUSE = 30.0


class Operator(Protocol):
    """Who does what is asked. `skipped` returns when they do not want to."""

    def say(self, text: str) -> None: ...

    async def act(self, step: LiveStep) -> None:
        """Be told what to do, and perhaps do it. Returns at once."""
        ...

    async def skipped(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step: how many of what was waited for, and what went wrong with the answers."""

    name: str
    wanted: int
    came: int
    wrong: tuple[str, ...] = ()


class Walk:
    """Is the channel's inbox. Each step takes at most `patience` seconds."""

    def __init__(self, channel: Channel, recorder: Recorder, operator: Operator, patience: float) -> None:
        self._channel, self._recorder, self._operator = channel, recorder, operator
        self._patience = patience
        self._heard: asyncio.Queue[InboundMessage | Click] = asyncio.Queue()
        self._online = asyncio.Event()
        self._last: InboundMessage | None = None
        self._asked: tuple[ReplyTarget, str] | None = None

    async def accept(self, message: InboundMessage) -> None:
        """Take a message; nothing is stored."""
        self._heard.put_nowait(message)

    async def decide(self, click: Click) -> str:
        """Take a press."""
        self._heard.put_nowait(click)
        return SETTLED

    def online(self) -> None:
        """Go on: the connection stands."""
        self._online.set()

    async def run(self, steps: Sequence[LiveStep]) -> list[StepResult]:
        """Walk. Raises ChannelError where the channel does not get online."""
        listening = asyncio.create_task(self._channel.listen(self))
        try:
            online = asyncio.create_task(self._online.wait())
            await asyncio.wait({listening, online}, timeout=60.0, return_when=asyncio.FIRST_COMPLETED)
            online.cancel()
            if listening.done():
                listening.result()
            return [await self._step(step) for step in steps]
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _step(self, step: LiveStep) -> StepResult:
        wrong: list[str] = []
        if step.asks:
            if self._last is None or not self._channel.capabilities.buttons:
                return StepResult(step.name, step.count, 0, ("nobody to ask, or no buttons there",))
            wrong += await self._tried(self._ask(self._last))
        await self._operator.act(step)
        skipped = asyncio.create_task(self._operator.skipped())
        came = 0
        try:
            async with asyncio.timeout(self._patience):
                while came < step.count:
                    event = await self._next(skipped)
                    if event is None:
                        break
                    fits = step.fits(event)
                    self._recorder.note(step.name, type(event).__name__ if fits else "other")
                    came += fits
                    wrong += await self._tried(self._respond(event, step)) if fits else ()
        except TimeoutError:
            pass
        finally:
            skipped.cancel()
        return StepResult(step.name, step.count, came, tuple(wrong))

    async def _next(self, skipped: asyncio.Task[None]) -> InboundMessage | Click | None:
        """Return what came, None when the operator would rather go on."""
        heard = asyncio.create_task(self._heard.get())
        try:
            await asyncio.wait({heard, skipped}, return_when=asyncio.FIRST_COMPLETED)
            return heard.result() if heard.done() else None
        finally:
            heard.cancel()

    async def _tried(self, work: Awaitable[None]) -> tuple[str, ...]:
        try:
            await work
        except ChannelError as error:
            return (f"{type(error).__name__}: {error}",)
        return ()

    async def _respond(self, event: InboundMessage | Click, step: LiveStep) -> None:
        if isinstance(event, Click):
            await self._settle()
            return
        self._last = event
        await self._fetch(event)
        if step.answer is not Answer.NOTHING:
            await self._answer(event, LONG if step.answer is Answer.LONG else GREETING)

    async def _fetch(self, message: InboundMessage) -> None:
        with tempfile.TemporaryDirectory(prefix="parley-live-") as folder:
            for number, attachment in enumerate(message.attachments):
                await self._channel.fetch(attachment, Path(folder, str(number)), _MOST_FILE)

    async def _answer(self, message: InboundMessage, text: str) -> None:
        target = _target(message)
        reply = self._channel.open_reply(target, _forget)
        if text == LONG:
            for shown in growing(text, 6):
                with suppress(RateLimited):
                    await reply.show(_snapshot(target, shown, done=False))
                await asyncio.sleep(min(self._channel.capabilities.edit_interval, 2.0))
        await _patiently(lambda: reply.finish(_snapshot(target, text, done=True)))

    async def _ask(self, message: InboundMessage) -> None:
        target = _target(message)
        handles: list[str] = []

        async def keep(handle: str) -> None:
            handles.append(handle)

        reply = self._channel.open_reply(target, keep)
        await _patiently(lambda: reply.finish(_snapshot(target, ASKED.prompt, done=True, asks=True)))
        self._asked = (target, handles[-1] if handles else "")

    async def _settle(self) -> None:
        if self._asked is not None:
            target, handle = self._asked
            known = ReplyTarget(
                target.turn_id, target.conversation, target.reply_to, target.asker, target.private, handle
            )
            reply = self._channel.open_reply(known, _forget)
            await _patiently(lambda: reply.settle(_snapshot(known, SETTLED, done=True)))


async def _patiently(work: Callable[[], Awaitable[object]]) -> None:
    """Do what is to be done, again after each limit for a while. Raises ChannelError."""
    for _ in range(3):
        try:
            await work()
        except RateLimited as error:
            await asyncio.sleep(min(error.retry_after, _LONGEST_PAUSE))
        else:
            return
    await work()


async def _forget(handle: str) -> None:
    """Keep no handle: nothing is gone on with."""


def _target(message: InboundMessage) -> ReplyTarget:
    turn = uuid.uuid4().hex
    return ReplyTarget(turn, message.conversation, message.id, message.sender, message.private)


def _snapshot(target: ReplyTarget, text: str, *, done: bool, asks: bool = False) -> OutboundMessage:
    return OutboundMessage(
        target.turn_id,
        target.conversation,
        target.reply_to,
        text,
        progress(done) if text == LONG else (),
        final=done,
        question=ASKED if asks else None,
    )
