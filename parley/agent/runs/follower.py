"""One turn's run, made or found, followed to its end through every broken connection."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass

from langgraph_sdk.schema import StreamPart

from parley.agent.langgraph_client import AgentServerClient, RunSpec
from parley.agent.runs.answer_files import AnswerFiles
from parley.agent.runs.outcome import ALIVE_STATUSES, OutcomeResolver
from parley.agent.runs.preparation import RunDefaults, prepare_run, turn_anchor
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.graph_shape import GraphShape
from parley.agent.stream.transcript import RunTranscript
from parley.agent.transport.error_mapping import AgentMissing
from parley.agent.transport.speaker_headers import speaking
from parley.core.model.attachments import UnreadFile
from parley.core.model.errors import AgentBusy, AgentRefused, AgentTimeout, AgentUnavailable
from parley.core.model.types import RunEnded, RunMode, RunRequest

log = logging.getLogger(__name__)

_LONGEST_WAIT = 5.0


@dataclass(frozen=True, slots=True)
class FollowOptions:
    """How runs are followed.

    `files` takes what agents send. The first try to join again comes after about
    `rejoin_delay` seconds, later ones after twice as long each; after `rejoin_tries` without any answer
    from the server it is unavailable. With `thoughts` a step has what the model says while it thinks.
    """

    files: AnswerFiles
    making: RunDefaults
    rejoin_delay: float = 0.2
    rejoin_tries: int = 8
    thoughts: bool = False

    def delay(self, tries: int) -> float:
        """Seconds before try number `tries`, from 0; spread, so that thousands do not come at once."""
        return min(self.rejoin_delay * 2.0 ** min(tries, 16), _LONGEST_WAIT) * random.uniform(0.5, 1.5)


class RunFollower:
    """Follows one run. `run_id` is its id once known; `unread` are the files of which it did not get
    everything, where it was made here; `reminded` says whether it was then given a message with memory.

    `on_run` is called when the run's id is known, `on_news` when there is something new to show.
    """

    def __init__(
        self,
        server: AgentServerClient,
        request: RunRequest,
        terms: FollowOptions,
        on_run: Callable[[], None],
        on_news: Callable[[], None],
    ) -> None:
        self._server = server
        self._request = request
        self._terms = terms
        self._on_run = on_run
        self._on_news = on_news
        self._heard = 0
        self.run_id = ""
        self.unread: tuple[UnreadFile, ...] = ()
        self.reminded: bool | None = None
        self._shape = GraphShape()
        self._transcript: RunTranscript | None = None

    @property
    def transcript(self) -> RunTranscript:
        """What is heard of the run."""
        if self._transcript is None:
            self._transcript = self._transcript_of(turn_anchor(self._request), whole=False)
        return self._transcript

    async def follow(self) -> RunEnded:
        """Bring the turn's run to its end. Raises AgentError where there is nothing to follow."""
        with speaking(self._request.identity):
            return await self._follow()

    async def _follow(self) -> RunEnded:
        request, thread = self._request, self._request.thread
        self._shape = await self._terms.making.shapes.of(self._server, request.session)
        self._transcript = None  # The shape is known now.
        if request.known:
            self._is(request.known.run_id)
        elif request.maybe_made:
            await self._found()
        for _ in range(2):
            try:
                return await self._to_the_end()
            except AgentMissing:
                if await self._server.has_thread(thread):
                    return await self._ending().vanished()
                log.warning(
                    "the agent server lost thread %s: turn %s runs again", request.thread, request.turn_id
                )
                await self._anew()
        raise AgentUnavailable("The agent server keeps losing this conversation.")

    async def _to_the_end(self) -> RunEnded:
        if not self.run_id:
            await self._start()
        return await self._ending().of(await self._last_status())

    def _ending(self) -> OutcomeResolver:
        return OutcomeResolver(self._server, self._request, self.run_id, self.transcript, self._terms.files)

    async def _anew(self) -> None:
        self.run_id = ""
        self._transcript = None
        await self._server.ensure_thread(self._request.thread)

    def _transcript_of(self, asked: TurnAnchor, *, whole: bool) -> RunTranscript:
        language, thoughts = self._request.language, self._terms.thoughts
        return RunTranscript(asked, whole, language, self._shape, thoughts)

    def _is(self, run_id: str) -> None:
        if run_id and run_id != self.run_id:
            self.run_id = run_id
            self._on_run()

    async def _found(self) -> bool:
        self._is(await self._server.find(self._request.thread, self._request.turn_id))
        return bool(self.run_id)

    async def _start(self) -> None:
        """Make the run; in stream mode this hears it to its end, or to the first break."""
        order, asked = await prepare_run(self._server, self._request, self._terms.making, self._shape)
        self.unread, self.reminded = order.unread, order.reminded
        streams = self._request.mode is RunMode.STREAM
        self._transcript = self._transcript_of(asked, whole=streams)
        make = self._stream if streams else self._create
        try:
            try:
                await self._server.expect_thread(order.thread)
                await make(order)
            except AgentMissing:
                if not await self._server.supply_thread(order.thread):
                    raise
                await make(order)
        except AgentMissing as error:
            raise AgentRefused("The agent server does not know this assistant.", error.detail) from error
        except (AgentBusy, AgentUnavailable, AgentTimeout):
            # The request may have arrived even so, and then its run is ours to follow. It may even be over
            # before we ask for it: then the rest of what it said is on the thread only.
            self.transcript.whole = False
            if not (self.run_id or await self._found()):
                raise

    async def _stream(self, order: RunSpec) -> None:
        await self._server.stream(order, self._is, self._take)

    async def _create(self, order: RunSpec) -> None:
        self._is(await self._server.create(order))
        await self._attend()

    def _take(self, part: StreamPart) -> bool:
        transcript = self._transcript or self.transcript
        self._heard += 1
        news = transcript.apply(part.event, part.data, part.id)
        if transcript.run_id != self.run_id:
            self._is(transcript.run_id)
        if news:
            self._on_news()
        return transcript.over

    async def _last_status(self) -> str:
        """The status of the run once it is over, "" where the stream ended without saying."""
        silent = failed = 0
        while not self.transcript.over:
            try:
                if not (self.run_id or await self._found()):
                    raise AgentUnavailable("The agent server lost the run.")
                status = await self._server.status(self._request.thread, self.run_id)
            except (AgentUnavailable, AgentTimeout):
                failed += 1
                if failed > self._terms.rejoin_tries:
                    raise
                await asyncio.sleep(self._terms.delay(failed))
                continue
            if status not in ALIVE_STATUSES:
                return status
            failed = 0
            silent = 0 if await self._attend() else silent + 1
            if not self.transcript.over:
                await asyncio.sleep(self._terms.delay(silent))
        return self.transcript.status

    async def _attend(self) -> bool:
        """Be with a run while the connection lasts; False when nothing was heard of it."""
        before = self._heard
        thread = self._request.thread
        try:
            if self._request.mode is RunMode.WAIT:
                self.transcript.conclude(await self._server.join(thread, self.run_id))
            else:
                await self._server.rejoin(thread, self.run_id, self.transcript.rejoin(), self._take)
        except (AgentUnavailable, AgentTimeout, AgentMissing) as error:
            # The run's own status tells what this means; a server without such a call is asked for it only.
            log.info("run %s: %s", self.run_id, type(error).__name__)
        return self._heard > before
