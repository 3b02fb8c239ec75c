"""One turn, from accepted to delivered; it can be taken up again at every stage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from parley.core.attachments.download import SkippedAttachment, TurnFiles
from parley.core.attachments.spoken_words import with_spoken_words, with_transcripts
from parley.core.attachments.voice_messages import VoiceMessages
from parley.core.delivery.delivery import Delivery
from parley.core.delivery.final_rewrite import final_rewrite_item
from parley.core.feedback.answer_buttons import add_buttons, is_rateable
from parley.core.hitl.lifecycle import QuestionOpening, open_questions
from parley.core.inbound.batching import batch_items, merge_batch
from parley.core.inbound.busy_policy import must_yield
from parley.core.inbound.turn_queue import stop_run_item
from parley.core.limits.enforcement import refuse_over_limit
from parley.core.model.errors import DeliveryRejected
from parley.core.model.questions import ResumeInput
from parley.core.model.types import OutboundMessage, Outcome, RunEnded, RunRef, RunRequest, Step
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.core.ports.sending import Priority
from parley.core.services import CoreServices
from parley.core.state.conversations import ConversationRecord
from parley.core.state.turn_record import TurnCheckpoint, TurnStage, has_lost_files
from parley.core.texts import Sentence, say
from parley.core.thread_context.reading import note_context
from parley.core.turns import turn_memory
from parley.core.turns.agent_run import AgentDeadlines, AgentRun, RunCallbacks
from parley.core.turns.bot_turns import skip_bots
from parley.core.turns.final_text import render_final_text, render_text_for_agent
from parley.core.turns.open_question import may_run
from parley.core.turns.run_timers import RunTimeouts, render_still_working
from parley.core.turns.turn_context import TurnContext, conversation_after_turn
from parley.core.turns.turn_timing import TurnTiming

log = logging.getLogger(__name__)


class TurnExecution:
    """Works one burst of messages as a turn. `answered` is called once the agent's part is over.

    A turn whose handling failed again and again, and why (`broken`), is answered with an apology only. `seen`
    is the conversation as the turn found it, `rewrites` the work of writing the answer once more.
    """

    def __init__(
        self,
        services: CoreServices,
        claim: Claim,
        beginning: TurnContext,
        answered: Callable[[], None],
        *,
        broken: str = "",
    ) -> None:
        self._services, self._beginning = services, beginning
        self._answered, self._broken, self.seen = answered, broken, beginning.seen
        self._log = TurnCheckpoint(services.journal, claim, beginning.burst[0].item)
        self._burst = burst = with_transcripts(beginning.burst, self._log.record.transcripts)
        self._message = merge_batch(with_spoken_words(burst))
        self.id = services.conversations.turn_id(burst[0].item.id)
        self._language = services.language(self._message)
        self._channel = services.channels[self._message.conversation.channel]
        options, folder = services.options, services.files / self.id
        self._files = TurnFiles(self._channel, folder, options.max_file, self._language)
        self._voice = VoiceMessages(services, self._log, self.id, self._files, self._language)
        self._delivery = Delivery(
            self._log.open_reply(self._channel, self.id, self._message),
            self._channel.capabilities.interval(private=self._message.private),
            services.turnstile,
            Priority.FINAL,
            services.wait_observer(self._channel.name),
            services.deliveries.count_cut,
        )
        self.rewrites: tuple[NewQueueItem, ...] = ()
        self._times = TurnTiming(self.id, burst[0].item.put_at, services.clock, services.telemetry)
        self._run = AgentRun(
            services.agent,
            self._log,
            AgentDeadlines(options.notify_after, options.give_up_after, options.stop_patience),
            RunTimeouts(options.still_working_after, options.timeout),
            RunCallbacks(self._show_run, self._show_trying, self._show_working),
            services.clock,
        )

    def stop(self) -> bool:
        """End the agent's part soon, keeping what was said; False when it is over already."""
        if self.before_answer:
            self._run.stop()
        return self.before_answer

    @property
    def item(self) -> int:
        """Return the number of the item that the turn began with."""
        return self._beginning.burst[0].item.id

    @property
    def before_answer(self) -> bool:
        """Return whether the agent's part is not over."""
        return self._log.record.stage in (TurnStage.ACCEPTED, TurnStage.RUNNING)

    async def work(self) -> TurnCheckpoint:
        """See the turn through to its delivery and return its log. Raises LaneLost, StoreUnavailable."""
        if self._log.record.run and has_lost_files(self._log.record):  # another node's: the run has them too
            self._log.change(stage=TurnStage.RUNNING)
        if self._broken:
            log.error("turn %s: given up, handling it broke: %s", self.id, self._broken)
            apology = say(self._language, Sentence.INTERNAL_ERROR, reference=self.id[:8])
            await self._log.write(
                stage=TurnStage.ANSWERED, outcome=Outcome.FAILED, text=apology, broken=True, context=""
            )
        elif self.before_answer:
            async with self._delivery.showing():
                with self._times.running():
                    await self._answer()
            self._times.report_run(self._message, self._log.record)
        self._answered()
        if self._log.record.stage is not TurnStage.SKIPPED:
            with self._times.delivering():
                await self._deliver()
        return self._log

    def report(self) -> None:
        """Tell who watches that the turn is over."""
        self._times.report_turn(self._message, self._log.record)

    def updated_conversation(self, record: ConversationRecord) -> ConversationRecord:
        """Return the conversation as this turn leaves it."""
        turn, now = self._log.record, self._services.clock()
        after = conversation_after_turn(record, self._burst, self._message, turn, now)
        return replace(after, rateable=self.id) if is_rateable(self._services, self._message, turn) else after

    async def remember(self) -> tuple[Document, ...]:
        """Hand the turn to memory; return what is to be written with its end. Raises StoreUnavailable."""
        if not turn_memory.is_from_one_person(self._burst):
            return ()
        return await turn_memory.remember_turn(
            self._services, self._beginning, self._message, self.id, self._log.record
        )

    def opening(self) -> QuestionOpening | None:
        """Return the questions that the turn leaves open."""
        return open_questions(self._services, self._message, self.id, self._log.record)

    async def _answer(self) -> None:
        """Go from accepted to answered."""
        (record, _), turn = self.seen, self._log.record
        if await skip_bots(self._services, self._burst, record, self._log):
            return
        if record.question is not None:
            await self._hear()
        if not await may_run(self._services, self._message, record, self._log, self._voice.shown):
            return
        if await refuse_over_limit(self._services, self._message, self.id, self._log):
            return
        await self._log.write(
            stage=TurnStage.RUNNING,
            items=tuple(item.id for item in batch_items(self._burst)),
            thread=turn.thread or self._services.conversations.thread_id(self._message.conversation, record),
        )
        await self._log.claim_items(batch_items(self._burst)[1:])
        self._show("", ())
        await self._make_way(record)
        await note_context(self._services, self._log, self.id, self._burst, record, self._beginning.heard)
        await self._hear()
        if self._voice.all_unheard:
            await self._log.write(stage=TurnStage.ANSWERED, text=self._voice.all_unheard, context="")
            return
        request, left_out = await self._request(record, maybe_made=turn.stage is TurnStage.RUNNING)
        self._times.assistant = request.session.assistant
        ended, reason = await self._run.run(request)
        if self._run.stray:
            left = self._log.record.run or RunRef(request.thread, "")
            await self._services.journal.put(stop_run_item(self._message, left, self.id))
        if ended.outcome is Outcome.FAILED:
            log.error("turn %s: the run failed: %s", self.id, ended.error or "no reason was given")
        await self._keep_answer(ended, reason, left_out)

    async def _hear(self) -> None:
        """Take what was spoken for what was written, from here on."""
        self._burst = await self._voice.hear(self._burst)
        self._message = merge_batch(with_spoken_words(self._burst))

    async def _keep_answer(
        self, ended: RunEnded, reason: Sentence | None, left_out: Sequence[SkippedAttachment]
    ) -> None:
        notes, offers = await turn_memory.notes_below_answer(
            self._services, self._beginning.person, self._message, self._log.record, ended
        )
        text = render_final_text(
            self._language,
            ended,
            reason,
            left_out,
            self._log.record.unread,
            (*self._voice.unheard, *notes),
            reference=self.id[:8],
            heard=self._voice.line,
        )
        await self._log.write(
            stage=TurnStage.ANSWERED,
            outcome=ended.outcome,
            text=text,
            reply=ended.text if ended.text != text else "",
            preamble=ended.preamble,
            steps=ended.steps,
            files=await self._voice.answered(ended),
            questions=ended.questions,
            offers=offers,
            usage=ended.usage,
            title=ended.title if ended.title != self.seen[0].title else "",
            suggestions=ended.suggestions if ended.outcome is Outcome.ANSWERED else (),
            context="",
        )

    async def _make_way(self, record: ConversationRecord) -> None:
        """End at once where something that waits is to end it."""
        services, message = self._services, self._message
        options = services.channel_options(message)
        if await must_yield(services.journal, options, record, self._log.record, message.conversation):
            self.stop()

    async def _request(
        self, record: ConversationRecord, *, maybe_made: bool
    ) -> tuple[RunRequest, tuple[SkippedAttachment, ...]]:
        services, message, turn = self._services, self._message, self._log.record
        options = services.channel_options(message)
        memory = ""
        if turn.run is None:
            person, burst = self._beginning.person, self._burst
            memory = await turn_memory.recall_all(services, person, burst, message, record, turn.thread)
            # A run that was made already may have had memory, whatever is known now.
            self._log.change(reminded=bool(memory) or maybe_made)
        files, left_out = await self._files.fetch_all(message.attachments)
        session = turn_memory.session_for_message(services, message, record)
        marked = bool(session.speakers) and not message.private
        text = render_text_for_agent(
            self._burst, left_out, speakers=marked, unheard=bool(self._voice.unheard)
        )
        request = RunRequest(
            turn_id=self.id,
            message_id=services.conversations.message_id(message.conversation, self._burst[0].message.id),
            thread=turn.thread,
            text="" if message.resumes else text,
            person=message.sender,
            session=session,
            mode=options.mode,
            files=files,
            memory=memory,
            reminded=record.reminded,
            maybe_made=maybe_made,
            known=turn.run,
            answer=ResumeInput(turn.answers) if turn.answers else None,
            retried=bool(message.retries),
            language=self._language,
            **self._beginning.speaker(services, message, self._language),
            earlier=self._log.record.context,
            tools=self._beginning.tools(services, message, self.id, session.assistant),
        )
        return request, left_out

    def _show(self, text: str, steps: tuple[Step, ...]) -> None:
        message, shown = self._message, self._voice.shown(text)
        self._delivery.offer(OutboundMessage(self.id, message.conversation, message.reply_to, shown, steps))

    def _show_run(self, text: str, steps: tuple[Step, ...]) -> None:
        if text:
            self._times.note_text()
        self._show(text, steps)

    def _show_trying(self) -> None:
        self._show(say(self._language, Sentence.AGENT_STILL_TRYING), ())

    def _show_working(self, text: str, steps: tuple[Step, ...]) -> None:
        self._show(render_still_working(self._language, text, steps), steps)

    async def _deliver(self) -> None:
        """Go from answered to delivered."""
        record, message = self._log.record, self._message
        final = OutboundMessage(
            *(self.id, message.conversation, message.reply_to, record.text, record.steps),
            final=True,
            attachments=record.files,
            asks=len(record.questions),
            title=record.title,
        )
        final = await add_buttons(self._services, final, message, record)
        try:
            receipt = await self._delivery.finish(final)
        except DeliveryRejected as error:
            self._log.change(stage=TurnStage.REJECTED, refusal=str(error))
            self._services.deliveries.count_rejected(final)
            return
        self._services.deliveries.count_delivered(final, receipt)
        self._log.change(stage=TurnStage.DELIVERED, doubtful=receipt.doubtful)
        if self._log.taken_over or receipt.late:
            target = self._log.target(self.id, message)
            self.rewrites = (final_rewrite_item(target, final, self._channel.longest_call),)
