"""The walk with an operator through an account, through the channel's own code and without an agent."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from parley.app.live.recorder import Recorder
from parley.app.live.steps import LONG, LiveStep, growing, progress, question
from parley.core.model.address import User
from parley.core.model.errors import AttachmentRefused, ChannelError, ChannelUnavailable, RateLimited
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage, OutboundMessage, ReplyTarget, Step
from parley.core.ports.channel import Channel
from parley.core.texts import Sentence, language_of, say

_MOST_FILE = 10_000_000
_LONGEST_PAUSE = 40.0
_TRIES = 3
_CONNECTING = 60.0
_BEFORE_NEXT = 1.0
"""Seconds before the next connection, when one ended."""


class WalkOperator(Protocol):
    """Who does what is asked."""

    async def act(self, step: LiveStep) -> None:
        """Be told what to do, and perhaps do it. Returns at once."""
        ...

    async def skipped(self) -> None:
        """Return when the step is to be left out."""
        ...

    def see(self, result: StepResult) -> None:
        """Be told what came of a step."""
        ...


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of a step: how many of what was waited for, and the errors of our answers to it."""

    name: str
    wanted: int
    came: int
    errors: tuple[ChannelError, ...] = ()


class Walk:
    """Is the channel's inbox. It waits for an event for at most `patience` seconds.

    Who writes first in a private chat is the operator; what others write is not answered. Snapshots of a
    growing answer are at least `pace` seconds apart, unless the channel is slower.
    """

    def __init__(
        self, channel: Channel, recorder: Recorder, operator: WalkOperator, patience: float, pace: float = 2.0
    ) -> None:
        self._channel, self._recorder, self._operator = channel, recorder, operator
        self._patience, self._pace = patience, pace
        self._heard: asyncio.Queue[InboundMessage | Click] = asyncio.Queue()
        self._online = asyncio.Event()
        self._last: InboundMessage | None = None
        self._person: User | None = None
        self._asked: ReplyTarget | None = None

    async def accept(self, message: InboundMessage) -> None:
        """Take a message; nothing is stored."""
        self._heard.put_nowait(message)

    async def decide(self, click: Click) -> str:
        """Take a press."""
        self._heard.put_nowait(click)
        return say(language_of(click.sender.language), Sentence.WALK_SETTLED)

    def online(self) -> None:
        """Go on: the connection stands."""
        self._online.set()

    async def run(self, steps: Sequence[LiveStep]) -> list[StepResult]:
        """Walk. Raises ChannelError where the channel does not get online."""
        listening = asyncio.create_task(self._listen())
        walking = asyncio.create_task(self._walk(steps))
        try:
            await asyncio.wait({listening, walking}, return_when=asyncio.FIRST_COMPLETED)
            if listening.done():
                listening.result()
            return walking.result()
        finally:
            for task in (listening, walking):
                task.cancel()
            await asyncio.gather(listening, walking, return_exceptions=True)

    async def _listen(self) -> None:
        """Hold a connection for ever. Raises ChannelError where there is none to begin with."""
        while True:
            try:
                await self._channel.listen(self)
            except ChannelError:
                if not self._online.is_set():
                    raise
            await asyncio.sleep(_BEFORE_NEXT)

    async def _walk(self, steps: Sequence[LiveStep]) -> list[StepResult]:
        try:
            async with asyncio.timeout(_CONNECTING):
                await self._online.wait()
        except TimeoutError:
            raise ChannelUnavailable(f"No connection within {_CONNECTING:.0f} s.") from None
        results = []
        for step in steps:
            self._recorder.note_step(step.name)
            result = await self._step(step)
            self._recorder.note_result(
                step.name, result.came, [type(each).__name__ for each in result.errors]
            )
            self._operator.see(result)
            results.append(result)
        return results

    async def _step(self, step: LiveStep) -> StepResult:
        errors: list[ChannelError] = []
        if step.asks:
            if self._last is None or not self._channel.capabilities.buttons:
                return StepResult(step.name, step.count, 0)
            errors += await _tried(self._ask(self._last))
        await self._operator.act(step)
        skipped = asyncio.create_task(self._operator.skipped())
        came = 0
        try:
            while came < step.count and (event := await self._next(skipped)) is not None:
                fits = self._is_for_us(event) and step.fits(event)
                self._note(step, event, fits=fits)
                came += fits
                errors += await _tried(self._respond(event, step)) if fits else ()
        finally:
            skipped.cancel()
            # Until it has ended it may take what is meant for the next step.
            await asyncio.wait([skipped])
        return StepResult(step.name, step.count, came, tuple(errors))

    async def _next(self, skipped: asyncio.Task[None]) -> InboundMessage | Click | None:
        """Return what came, None when the operator would rather go on, or does nothing."""
        heard = asyncio.create_task(self._heard.get())
        try:
            await asyncio.wait({heard, skipped}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            return heard.result() if heard.done() else None
        finally:
            heard.cancel()

    def _is_for_us(self, event: InboundMessage | Click) -> bool:
        if isinstance(event, InboundMessage) and self._person is None and event.private:
            self._person = event.sender
        return self._person is None or event.sender.id == self._person.id

    def _note(self, step: LiveStep, event: InboundMessage | Click, *, fits: bool) -> None:
        if not fits:
            self._recorder.note_heard(step.name, "other")
        elif isinstance(event, InboundMessage):
            self._recorder.note_heard(step.name, "message", event.text)
        else:
            self._recorder.note_heard(step.name, "press")

    async def _respond(self, event: InboundMessage | Click, step: LiveStep) -> None:
        if isinstance(event, Click):
            await self._settle(event.sender)
            return
        if event.private:
            self._last = event
        await self._fetch(event)
        heard = say(language_of(event.sender.language), Sentence.WALK_HEARD)
        await self._answer(event, LONG if step.long else heard)

    async def _fetch(self, message: InboundMessage) -> None:
        with tempfile.TemporaryDirectory(prefix="parley-live-") as folder, suppress(AttachmentRefused):
            for number, attachment in enumerate(message.attachments):
                await self._channel.fetch(attachment, Path(folder, str(number)), _MOST_FILE)

    async def _answer(self, message: InboundMessage, text: str) -> None:
        target = _target(message)
        reply = self._channel.open_reply(target, _forget)
        if text == LONG:
            for shown in growing(text, 6):
                with suppress(RateLimited):
                    await reply.show(_snapshot(target, shown, progress(done=False)))
                await asyncio.sleep(self._pace)
        await _patiently(lambda: reply.finish(replace(_snapshot(target, text), final=True)))

    async def _ask(self, message: InboundMessage) -> None:
        target, handles = _target(message), [""]

        async def keep(handle: str) -> None:
            handles.append(handle)

        reply = self._channel.open_reply(target, keep)
        asks = question(language_of(message.sender.language))
        asked = replace(_snapshot(target, asks.prompt), final=True, question=asks)
        await _patiently(lambda: reply.finish(asked))
        self._asked = replace(target, handle=handles[-1])

    async def _settle(self, by: User) -> None:
        if (target := self._asked) is not None:
            reply = self._channel.open_reply(target, _forget)
            settled = say(language_of(by.language), Sentence.WALK_SETTLED)
            await _patiently(lambda: reply.settle(replace(_snapshot(target, settled), final=True)))


async def _tried(work: Awaitable[None]) -> tuple[ChannelError, ...]:
    try:
        await work
    except ChannelError as error:
        return (error,)
    return ()


async def _patiently(work: Callable[[], Awaitable[object]]) -> None:
    """Do what is to be done, again after each limit for a while. Raises ChannelError."""
    for _ in range(_TRIES):
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
    return ReplyTarget(uuid.uuid4().hex, message.conversation, message.id, message.sender, message.private)


def _snapshot(target: ReplyTarget, text: str, steps: tuple[Step, ...] = ()) -> OutboundMessage:
    return OutboundMessage(target.turn_id, target.conversation, target.reply_to, text, steps)
