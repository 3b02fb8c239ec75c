"""How a run ended, and what it answered."""

from __future__ import annotations

from dataclasses import replace

from parley.agent.files.outgoing import SavedFiles
from parley.agent.hitl.interrupts import Interrupt, next_nodes, pending_interrupts
from parley.agent.hitl.questions import build_breakpoint_question, build_questions
from parley.agent.langgraph_client import AgentServerClient
from parley.agent.runs.answer_files import AnswerFiles
from parley.agent.runs.failure import find_cause
from parley.agent.stream.final_answer import (
    FinalAnswer,
    keeps_files,
    new_answer_from_values,
    with_new_files,
    with_text,
    without_delivered,
)
from parley.agent.stream.thread_values import ThreadValues
from parley.agent.stream.transcript import RunTranscript
from parley.agent.transport.error_mapping import AgentMissing
from parley.core.model.errors import AgentRefused
from parley.core.model.questions import Question
from parley.core.model.types import Json, Outcome, RunEnded, RunRequest, StepStatus

ALIVE_STATUSES = frozenset({"pending", "running", "queued", "streaming"})
_BROKEN = frozenset({"error", "timeout", "failed"})
_CANCELLED = frozenset({"interrupted", "cancelled", "canceled"})


class OutcomeResolver:
    """The end of one run, told from its transcript and, where that is not enough, from the server."""

    def __init__(
        self,
        server: AgentServerClient,
        request: RunRequest,
        run_id: str,
        transcript: RunTranscript,
        files: AnswerFiles,
    ) -> None:
        self._server = server
        self._request = request
        self._run_id = run_id
        self._transcript = transcript
        self._files = files

    async def of(self, status: str) -> RunEnded:
        """The end of a run with this status; "" where the server did not say. Raises AgentError."""
        return self._metered(await self._of(status))

    async def _of(self, status: str) -> RunEnded:
        transcript = self._transcript
        if transcript.error or not status:
            # An error event may be a cancellation, and some servers end every stream as a success.
            status = await self._status()
        if transcript.error and status not in _CANCELLED:
            return self._failed(transcript.error)
        if status in _BROKEN:
            return self._failed(f"the run's status is {status}")
        if transcript.interrupts or transcript.paused:
            return await self._asked()
        if status in _CANCELLED:
            return await self._stopped()
        return await self._answered()

    async def vanished(self) -> RunEnded:
        """The end of a run that the server no longer knows, though it knows its thread."""
        state = await self._state()
        output = self._transcript.shape.answer
        final = self._thread(state).answer(concluded=False, output=output)
        return self._metered(
            await self._with_answer(final) if final.text or final.contents else self._cancelled()
        )

    def _metered(self, ended: RunEnded) -> RunEnded:
        used, said = self._transcript.meter.total(), self._transcript.answer
        if not (used or said.title or said.suggestions):
            return ended
        return replace(ended, usage=used, title=said.title, suggestions=said.suggestions)

    async def _state(self) -> Json:
        """The thread's state; what its messages took is noted."""
        state = await self._server.state(self._request.thread)
        self._transcript.meter.read(self._thread(state))
        self._transcript.answer.take_extras(_values(state))
        return state

    def _thread(self, state: Json) -> ThreadValues:
        return ThreadValues(_values(state), self._transcript.asked)

    async def _status(self) -> str:
        try:
            return await self._server.status(self._request.thread, self._run_id)
        except AgentMissing:
            return ""

    def _failed(self, error: str) -> RunEnded:
        transcript = self._transcript
        steps = transcript.steps.settled(StepStatus.FAILED)
        return RunEnded(Outcome.FAILED, transcript.text(), steps, error=error, cause=find_cause(error))

    def _cancelled(self) -> RunEnded:
        transcript = self._transcript
        return RunEnded(Outcome.CANCELLED, transcript.text(), transcript.steps.settled(StepStatus.FAILED))

    async def _stopped(self) -> RunEnded:
        """A cancelled run and one that asks have the same status on some servers."""
        state = await self._state()
        if waiting := pending_interrupts(state):
            return await self._asking(_questions(waiting), await self._spoken(state))
        return self._cancelled()

    async def _asked(self) -> RunEnded:
        transcript = self._transcript
        if transcript.whole and transcript.interrupts and not transcript.lacks_files():
            return await self._asking(_questions(transcript.interrupts), transcript.final(concluded=False))
        state = await self._state()
        waiting = transcript.interrupts | pending_interrupts(state)
        questions = _questions(waiting) if waiting else (build_breakpoint_question(next_nodes(state)),)
        return await self._asking(questions, await self._spoken(state))

    async def _asking(self, questions: tuple[Question, ...], spoken: FinalAnswer) -> RunEnded:
        """Ask, below what was said, its files, and those of the graph's state that it names."""
        saved = await self._saved(spoken)
        text = "\n\n".join(part for part in (spoken.text, "\n".join(saved.links)) if part)
        steps = self._transcript.steps.finished()
        return RunEnded(
            Outcome.ASKED,
            text,
            steps,
            files=saved.stored,
            questions=questions,
            unsent=saved.unsent,
            preamble=spoken.preamble,
        )

    async def _spoken(self, state: Json) -> FinalAnswer:
        values = _values(state)
        kept = self._thread(state).answer(concluded=False)
        told = self._transcript.final(concluded=False)
        found = replace(
            kept if kept.text else told,
            contents=kept.contents or told.contents,
            written=told.written,
            presented=tuple(dict.fromkeys((*kept.presented, *told.presented))),
        )
        before = await self._before() if keeps_files(values) else None
        return found if before is None else with_new_files(found, values, before)

    async def _answered(self) -> RunEnded:
        transcript = self._transcript
        final = transcript.final(concluded=True)
        told = transcript.whole and not transcript.asked.resumed and not transcript.lacks_files()
        if told and _says_something(final):
            return await self._with_answer(final)
        state = await self._state()
        if waiting := pending_interrupts(state):
            return await self._asking(_questions(waiting), await self._spoken(state))
        return await self._with_answer(await self._read(self._thread(state), final))

    async def _read(self, thread: ThreadValues, final: FinalAnswer) -> FinalAnswer:
        """The answer that a thread holds, where the stream did not tell all of it."""
        transcript = self._transcript
        values, output = thread.values, transcript.shape.answer
        kept = thread.answer(concluded=True, output=output)
        found = kept if _says_something(kept) and not (transcript.whole and final.text) else final
        if not _says_something(found) or keeps_files(values):
            before = await self._before()
            if before is not None and not _says_something(found):
                found = new_answer_from_values(values, before, output)
            if before is not None:
                found = with_new_files(found, values, before)
        if not _says_something(found) and not (isinstance(values, dict) and "messages" in values):
            # The graph keeps no messages and no answer that we know of: what it streamed is all there is.
            found = with_text(found, transcript.all_text())
        return found

    async def _before(self) -> Json:
        """The thread's values when the turn began; None where the server does not tell."""
        try:
            begun = await self._server.begun(self._request.thread)
        except AgentRefused:
            return None
        return (_values(begun[0]) or {}) if begun else None

    async def _saved(self, answer: FinalAnswer) -> SavedFiles:
        fresh = without_delivered(answer, self._transcript.asked)
        return await self._files.save(fresh, self._request.thread, self._request.turn_id)

    async def _with_answer(self, final: FinalAnswer) -> RunEnded:
        saved = await self._saved(final)
        steps = self._transcript.steps.settled(StepStatus.DONE)
        text = "\n\n".join(part for part in (final.text, "\n".join(saved.links)) if part)
        outcome = Outcome.ANSWERED if text.strip() or saved.stored else Outcome.EMPTY
        return RunEnded(
            outcome, text, steps, files=saved.stored, unsent=saved.unsent, preamble=final.preamble
        )


def _says_something(final: FinalAnswer) -> bool:
    return bool(final.text or final.contents or final.presented)


def _questions(waiting: dict[str, Interrupt]) -> tuple[Question, ...]:
    return tuple(asked for interrupt in waiting.values() for asked in build_questions(interrupt))


def _values(state: Json) -> Json:
    return state.get("values") if isinstance(state, dict) else None
