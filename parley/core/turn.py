"""One turn, from accepted to delivered; it can be taken up again at every stage."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from parley.core.agent_run import AgentRun, Audience, Patience
from parley.core.attachments import LeftOut, collect
from parley.core.bursts import items_of, merge
from parley.core.busy import gives_way, still_to_stop
from parley.core.compose import final_text, text_for_agent
from parley.core.conversations import ConversationRecord, attributed
from parley.core.delivery import Delivery
from parley.core.errors import DeliveryRejected
from parley.core.looking import Beginning
from parley.core.ports import Claim
from parley.core.question_answers import take
from parley.core.question_flow import Opening, opening
from parley.core.record import Stage, TurnLog, lost_files
from parley.core.retrying import asked_by
from parley.core.run_watch import Limits, still_working
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.turn_memory import of_one_person, recall, remember, session_of
from parley.core.turn_times import TurnTimes
from parley.core.types import (
    Answer,
    OutboundMessage,
    Outcome,
    ReplyTarget,
    RunRef,
    RunRequest,
    Step,
)
from parley.core.usage_gate import refused, warnings

log = logging.getLogger(__name__)

# How much of how many messages is kept to tell what a conversation is about.
_SAID, _SAID_MESSAGES = 500, 4


class TurnWork:
    """Works one burst of messages as a turn. `answered` is called once the agent's part is over.

    A turn whose handling failed again and again, and why (`broken`), is answered with an apology only. `seen`
    is the conversation as the turn found it.
    """

    def __init__(
        self,
        services: Services,
        claim: Claim,
        beginning: Beginning,
        answered: Callable[[], None],
        *,
        broken: str = "",
    ) -> None:
        self._services = services
        self._burst = burst = beginning.burst
        self._person = beginning.person
        self._answered = answered
        self._broken = broken
        self.seen = beginning.seen
        self._message = merge(burst)
        self._log = TurnLog(services.journal, claim, burst[0].item)
        self._id = services.conversations.turn_id(burst[0].item.id)
        self._language = services.language(self._message)
        self._channel = services.channels[self._message.conversation.channel]
        options = services.options
        self._times = TurnTimes(services.clock() - burst[0].item.put_at)
        self._run = AgentRun(
            services.agent,
            self._log,
            Patience(options.notify_after, options.give_up_after, options.stop_patience),
            Limits(options.still_working_after, options.timeout),
            Audience(self._show, self._show_trying, self._show_working),
            services.clock,
        )

    def stop(self) -> bool:
        """End the agent's part soon, keeping what was said; False when it is over already."""
        if self.before_answer:
            self._run.stop()
        return self.before_answer

    @property
    def before_answer(self) -> bool:
        """Whether the agent's part is not over."""
        return self._log.record.stage in (Stage.ACCEPTED, Stage.RUNNING)

    async def work(self) -> TurnLog:
        """See the turn through to its delivery and return its log. Raises LaneLost, StoreUnavailable."""
        message = self._message
        target = ReplyTarget(
            self._id,
            message.conversation,
            message.id,
            message.sender,
            message.private,
            self._log.record.handle,
        )
        reply = self._channel.open_reply(target, self._log.keep_handle)
        capabilities = self._channel.capabilities
        interval = capabilities.edit_interval if message.private else capabilities.group_edit_interval
        delivery = Delivery(reply, interval, self._services.turnstile)
        if self._log.record.run and lost_files(self._log.record):  # another node's: the run has them too
            self._log.change(stage=Stage.RUNNING)
        if self._broken:
            log.error("turn %s: given up, handling it broke: %s", self._id, self._broken)
            apology = say(self._language, Sentence.INTERNAL_ERROR, reference=self._id[:8])
            await self._log.write(stage=Stage.ANSWERED, outcome=Outcome.FAILED, text=apology, broken=True)
        elif self.before_answer:
            with self._services.bus.outbound(self._id, delivery.offer):
                async with delivery.showing():
                    with self._times.running():
                        await self._answer()
        self._answered()
        if self._log.record.stage is not Stage.SKIPPED:
            with self._times.delivering():
                await self._deliver(delivery)
            await self._remember()
        return self._log

    def tell(self) -> None:
        """Write the turn's line into the log."""
        self._times.tell(self._id, self._message, self._log.record)

    def settle(self, record: ConversationRecord) -> ConversationRecord:
        """The conversation as this turn leaves it."""
        turn, message = self._log.record, self._message
        if turn.again or turn.refused or turn.stage is Stage.SKIPPED or message.retries:
            said = record.said
        else:
            said = (*record.said, message.text[:_SAID])[-_SAID_MESSAGES:]
        after = replace(
            record,
            question=record.question if turn.outcome is None else None,
            title=record.title or message.text[:80],
            last_at=self._services.clock(),
            said=said,
            reminded=record.reminded if turn.answers or not turn.run_id else turn.reminded,
            last=asked_by(self._burst) if turn.thread and not turn.answers else record.last,
            missed=record.still_offered(message),
        )
        return attributed(record, after, [accepted.message for accepted in self._burst])

    def opening(self) -> Opening | None:
        """The questions that the turn leaves open."""
        return opening(self._services, self._message, self._id, self._log.record)

    async def _answer(self) -> None:
        """From accepted to answered."""
        record, _ = self.seen
        turn = self._log.record
        if not await self._go_on(record) or await refused(self._services, self._message, self._id, self._log):
            return
        await self._log.write(
            stage=Stage.RUNNING,
            items=tuple(item.id for item in items_of(self._burst)),
            thread=turn.thread or self._services.conversations.thread_id(self._message.conversation, record),
        )
        await self._log.hold(items_of(self._burst)[1:])
        self._show("", ())
        await self._make_way(record)
        request, left_out = await self._request(record, maybe_made=turn.stage is Stage.RUNNING)
        ended, reason = await self._run.run(request)
        if self._run.stray:
            left = self._log.record.run or RunRef(request.thread, "")
            await self._services.journal.put(still_to_stop(self._message, left, self._id))
        if ended.outcome is Outcome.FAILED:
            log.error("turn %s: the run failed: %s", self._id, ended.error or "no reason was given")
        text = final_text(
            self._language,
            ended,
            reason,
            left_out,
            self._log.record.unread,
            await warnings(self._services, self._message, self._log.record, ended.usage),
            reference=self._id[:8],
        )
        await self._log.write(
            stage=Stage.ANSWERED,
            outcome=ended.outcome,
            text=text,
            reply=ended.text if ended.text != text else "",
            steps=ended.steps,
            files=ended.files,
            questions=ended.questions,
            usage=ended.usage,
        )

    async def _make_way(self, record: ConversationRecord) -> None:
        """End at once where something that waits is to end it."""
        services, message = self._services, self._message
        options = services.channel_options(message)
        if await gives_way(services.journal, options, record, self._log.record, message.conversation):
            self.stop()

    async def _go_on(self, record: ConversationRecord) -> bool:
        """Whether there is something to run: a message to a conversation that waits for a decision may only
        be that, and is told what it did.
        """
        message, pending = self._message, record.question
        if self._log.record.run_id or self._log.record.answers:
            return True
        if message.resumes and (pending is None or pending.turn != message.resumes):
            await self._log.write(stage=Stage.SKIPPED)
            return False
        if pending is None:
            return True
        taken = await take(self._services, pending, message)
        if taken.text:
            outcome = Outcome.CANCELLED if taken.over else None
            await self._log.write(stage=Stage.ANSWERED, text=taken.text, outcome=outcome, again=taken.again)
            return False
        self._log.change(answers=taken.given, again=taken.again)
        return True

    async def _request(
        self, record: ConversationRecord, *, maybe_made: bool
    ) -> tuple[RunRequest, tuple[LeftOut, ...]]:
        services, message, turn = self._services, self._message, self._log.record
        options = services.channel_options(message)
        memory = ""
        if turn.run is None and of_one_person(self._burst):
            memory = await recall(services, self._person, message, record, turn.thread)
            self._log.change(reminded=bool(memory))
        files, left_out = await collect(
            self._channel,
            message.attachments,
            services.files / self._id,
            services.options.max_file,
            self._language,
        )
        text = text_for_agent(message.text, message.quoted, left_out)
        first = self._burst[0].message
        request = RunRequest(
            turn_id=self._id,
            message_id=services.conversations.message_id(message.conversation, first.id),
            thread=turn.thread,
            text="" if message.resumes else text,
            person=message.sender,
            session=session_of(services, message, record),
            mode=options.mode,
            files=files,
            memory=memory,
            reminded=record.reminded,
            maybe_made=maybe_made,
            known=turn.run,
            answer=Answer(turn.answers) if turn.answers else None,
            retried=bool(message.retries),
            language=self._language,
        )
        return request, left_out

    def _show(self, text: str, steps: tuple[Step, ...]) -> None:
        message = self._message
        snapshot = OutboundMessage(self._id, message.conversation, message.id, text, steps)
        self._services.bus.publish_outbound(snapshot)

    def _show_trying(self) -> None:
        self._show(say(self._language, Sentence.AGENT_STILL_TRYING), ())

    def _show_working(self, text: str, steps: tuple[Step, ...]) -> None:
        self._show(still_working(self._language, text, steps), steps)

    async def _deliver(self, delivery: Delivery) -> None:
        """From answered to delivered."""
        record, message = self._log.record, self._message
        final = OutboundMessage(
            self._id,
            message.conversation,
            message.id,
            record.text,
            record.steps,
            final=True,
            attachments=record.files,
            asks=len(record.questions),
        )
        try:
            receipt = await delivery.finish(final)
        except DeliveryRejected as error:
            self._log.change(stage=Stage.REJECTED, refusal=str(error))
            self._services.deliveries.refuse(final)
            return
        self._services.deliveries.arrive(final, receipt)
        self._log.change(stage=Stage.DELIVERED, doubtful=receipt.doubtful)

    async def _remember(self) -> None:
        if not of_one_person(self._burst):
            return
        conversation, _ = self.seen
        await remember(self._services, self._person, self._message, conversation, self._id, self._log.record)
