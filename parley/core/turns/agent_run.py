"""The agent's part of a turn: made once, joined again after a break, given up in the end, or stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.core.delivery.delivery import backoff
from parley.core.model.errors import AgentError, AgentRefused, AgentTimeout, AgentUnavailable, AgentUnreadable
from parley.core.model.types import Outcome, RunEnded, RunProgress, RunRequest, RunStarted, Step
from parley.core.ports.agent import Agent
from parley.core.state.turn_record import TurnCheckpoint
from parley.core.texts import Sentence
from parley.core.turns.run_timers import RunTimeouts, RunTimers

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AgentDeadlines:
    """Seconds until a person is told that the agent does not answer, and until the turn ends as failed.

    A stopped run has `stop` seconds to say so before the turn ends without it.
    """

    notify_after: float
    give_up_after: float
    stop: float


@dataclass(frozen=True, slots=True)
class RunCallbacks:
    """Who hears of a run: `show` of each reply so far, the others at most once each.

    `still_trying` says that the agent does not answer, `still_working` that its run takes long.
    """

    show: Callable[[str, tuple[Step, ...]], None]
    still_trying: Callable[[], None]
    still_working: Callable[[str, tuple[Step, ...]], None]


class AgentRun:
    """Runs one request. `clock` tells Unix seconds; `stray` that the server may still be at it in the end."""

    def __init__(
        self,
        agent: Agent,
        turn: TurnCheckpoint,
        patience: AgentDeadlines,
        limits: RunTimeouts,
        audience: RunCallbacks,
        clock: Callable[[], float],
    ) -> None:
        self._agent = agent
        self._turn = turn
        self._patience = patience
        self._audience = audience
        self._clock = clock
        self._watch = RunTimers(limits, self._on_long, self._on_too_long)
        self._too_long = False
        self._stopped = asyncio.Event()
        self._known = asyncio.Event()
        self._limit = asyncio.timeout(None)
        self._running = False
        self._stopping: asyncio.Task[None] | None = None
        self._cancelled = False
        self.stray = False
        self._text = ""
        self._steps: tuple[Step, ...] = ()

    def stop(self) -> None:
        """End the run soon, keeping what was said."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._begin_to_stop()

    async def run(self, request: RunRequest) -> tuple[RunEnded, Sentence | None]:
        """Return how the run ended, and the sentence for it where the usual one does not fit.

        Raises LaneLost, StoreUnavailable.
        """
        silence = asyncio.get_running_loop().call_later(self._patience.notify_after, self._on_silence)
        try:
            async with self._limit:
                self._running = True
                if self._stopped.is_set():
                    self._begin_to_stop()
                ended, reason = await self._until_ended(request)
        except TimeoutError:
            if not self._limit.expired():
                raise
            ended, reason = self._cut_off()
        finally:
            self._running = False
            silence.cancel()
            self._watch.end()
            if self._stopping is not None:
                self._stopping.cancel()
                await asyncio.wait({self._stopping})
        if self._too_long and ended.outcome is Outcome.CANCELLED:
            reason = Sentence.RUN_TOO_LONG
        return ended, reason

    def _cut_off(self) -> tuple[RunEnded, Sentence | None]:
        self.stray = not self._cancelled
        return RunEnded(Outcome.CANCELLED, self._text), None

    def _begin_to_stop(self) -> None:
        """Give the run its last seconds, and cancel it on the server."""
        if self._running:
            self._limit.reschedule(asyncio.get_running_loop().time() + self._patience.stop)
            self._stopping = asyncio.create_task(self._cancel_run())

    def _on_silence(self) -> None:
        if not self._known.is_set():
            self._audience.still_trying()

    def _on_long(self) -> None:
        if not self._stopped.is_set():
            self._audience.still_working(self._text, self._steps)

    def _on_too_long(self) -> None:
        self._too_long = not self._stopped.is_set()
        self.stop()

    async def _until_ended(self, request: RunRequest) -> tuple[RunEnded, Sentence | None]:
        loop = asyncio.get_running_loop()
        started, attempt, turn, told = loop.time(), 0, request.turn_id, ""
        while True:
            try:
                return await self._follow(request), None
            except AgentRefused as error:
                return self._failed(error), Sentence.AGENT_REFUSED
            except AgentUnreadable as error:
                self.stray = True
                return self._failed(error), Sentence.ANSWER_UNREADABLE
            except AgentError as error:
                if self._stopped.is_set():
                    return self._cut_off()
                if loop.time() - started > self._patience.give_up_after:
                    self.stray = True
                    silent = isinstance(error, AgentTimeout)
                    return self._failed(error), Sentence.AGENT_SILENT if silent else Sentence.AGENT_AWAY
                # Each reason is a line of the log, and not each attempt.
                level = logging.DEBUG if error.reason == told else logging.WARNING
                told = error.reason
                log.log(level, "turn %s: %s", turn, told)
            if await self._pause(backoff(attempt)):
                return self._cut_off()
            attempt += 1
            # What the last try made on the server may be there although its answer was lost.
            request = replace(request, maybe_made=True, known=self._turn.record.run)

    def _failed(self, error: AgentError) -> RunEnded:
        return RunEnded(Outcome.FAILED, self._text, error=error.reason)

    async def _follow(self, request: RunRequest) -> RunEnded:
        async for event in self._agent.run(request):
            match event:
                case RunStarted(run, unread, reminded):
                    # A run that is only joined does not know any more.
                    began = self._turn.record.began or self._clock()
                    unread = unread or self._turn.record.unread
                    if reminded is None:
                        reminded = self._turn.record.reminded
                    await self._turn.write(run_id=run.run_id, unread=unread, began=began, reminded=reminded)
                    self._known.set()
                    self._watch.begin(self._clock() - began)
                case RunProgress():
                    self._text, self._steps = event.text, event.steps
                    self._audience.show(event.text, event.steps)
                    await self._turn.note_progress(len(event.text) + len(event.steps))
                case RunEnded():
                    return event
        raise AgentUnavailable("The agent server ended a run without saying how.")

    async def _pause(self, seconds: float) -> bool:
        """Sleep, unless stopped; returns whether it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        return self._stopped.is_set()

    async def _cancel_run(self) -> None:
        await self._known.wait()
        run, attempt = self._turn.record.run, 0
        while run is not None and not self._cancelled:
            try:
                await self._agent.cancel(run)
                self._cancelled = True
            except AgentError as error:
                log.warning("run %s could not be cancelled yet: %s", run.run_id, error)
                await asyncio.sleep(backoff(attempt))
                attempt += 1
