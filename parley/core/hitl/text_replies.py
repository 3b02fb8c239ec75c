"""A message to a conversation that waits for decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from parley.core.hitl import audit
from parley.core.hitl.lifecycle import collect_answers
from parley.core.hitl.policy import may_decide, parse_reply, takes_words
from parley.core.hitl.records import (
    QuestionEvent,
    QuestionEventKind,
    QuestionRecord,
    click_item,
    event_item,
    question_document,
    questions_of_turn,
    queue_of_question,
    waiting_decisions,
)
from parley.core.hitl.render import localise_question, render_question
from parley.core.model.codec import decode
from parley.core.model.errors import DocumentConflict
from parley.core.model.questions import EDIT, AnswerKind, Click, Decision, InterruptAnswer, QuestionKind
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, NewQueueItem
from parley.core.ports.lease import uptime
from parley.core.services import CoreServices
from parley.core.state.conversations import PendingQuestion
from parley.core.texts import Sentence, say

_Open: TypeAlias = tuple[QuestionRecord, Document]

_LOOK_EVERY = 0.05
_LONGEST_WAIT = 10.0
"""Seconds that words wait for decisions before them: one on a channel that is closed is not worked soon."""


@dataclass(frozen=True, slots=True)
class TextReplyResult:
    """What becomes of the message: the run goes on with `given`, or its sender is told `text`.

    `again` says that the run goes on without it, so that it has to be worked again afterwards; `over` that
    there is nothing to go on with.
    """

    given: tuple[InterruptAnswer, ...] = ()
    text: str = ""
    again: bool = False
    over: bool = False


async def take_text_reply(
    services: CoreServices, pending: PendingQuestion, message: InboundMessage
) -> TextReplyResult:
    """Let a message decide the open question that it answers, after the presses that were taken before it.

    Raises StoreUnavailable.
    """
    until = uptime() + _LONGEST_WAIT
    while True:
        questions = await questions_of_turn(services.journal, pending.turn)
        records = [record for record, _ in questions]
        waiting = [each for each in questions if each[0].open]
        ours = [record for record in records if _decided_by(record, message)]
        for record in ours:
            await _publish(services, record)
        if message.resumes or not waiting:
            return _going_on(services, message, records, again=not (message.resumes or ours))
        if ours:
            return _next(services, message, waiting[-1][0], len(waiting))
        if not await _is_behind(services, waiting, message):
            if refusal := await _decide(services, waiting, message):
                return TextReplyResult(text=refusal)
        elif await _waited_in_vain(services, waiting, message, until):
            return TextReplyResult(text=say(services.language(message), Sentence.QUESTION_BEING_DECIDED))


async def _decide(services: CoreServices, waiting: Sequence[_Open], message: InboundMessage) -> str:
    """Let a message decide that has its place among the decisions already; give it one otherwise.

    Returns why it decides nothing, "" where that is to be seen.
    """
    (record, document), decision = _answered(services, waiting, message)
    if isinstance(decision, str):
        return decision
    (placed,) = await services.journal.put(_words_item(record, message, decision))
    if placed is None:  # it has its place since an earlier look: no press came before it
        with suppress(DocumentConflict):
            await services.journal.set(question_document(document, replace(record, decision=decision)))
    return ""


async def _is_behind(services: CoreServices, waiting: Sequence[_Open], message: InboundMessage) -> bool:
    """Return whether decisions wait to be worked that were taken before the message's own, if it has one."""
    for record in {record.place: record for record, _ in waiting}.values():
        first = next(iter(await waiting_decisions(services.journal, record)), None)
        if first is not None and not _is_of(first, message):
            return True
    return False


async def _waited_in_vain(
    services: CoreServices, waiting: Sequence[_Open], message: InboundMessage, until: float
) -> bool:
    """Wait a little, False; past `until` take the message's own place back, so that it never decides.

    False then, too, where that is worked just now.
    """
    if uptime() < until:
        await asyncio.sleep(_LOOK_EVERY)
        return False
    for record in {record.place: record for record, _ in waiting}.values():
        queue = queue_of_question(record)
        for item in await services.journal.waiting(queue, record.turn):
            if _is_of(decode(QuestionEvent, item.body), message):
                return await services.journal.withdraw(queue, record.turn, item.id)
    return True


def _is_of(event: QuestionEvent, message: InboundMessage) -> bool:
    # Ids are unique among presses, and among messages: on the page its user makes both.
    return not event.resumes and event.click is not None and event.click.id == message.id


def _words_item(record: QuestionRecord, message: InboundMessage, decision: Decision) -> NewQueueItem:
    """Return a decision in words, to stand among the presses: what is stored first decides."""
    key, place = record.question.id, message.conversation
    click = Click(message.id, key, decision.option, message.sender, place, message.private, decision.text)
    event = QuestionEvent(QuestionEventKind.CLICK, key, click, resumes=False)
    return click_item(record, event, f"{place.channel}:words:{key}:{message.id}")


def _going_on(
    services: CoreServices, message: InboundMessage, records: Sequence[QuestionRecord], *, again: bool
) -> TextReplyResult:
    # A pause has no answer that says no: its run simply stays where it is.
    if any(_stays(record) for record in records):
        text = say(services.language(message), Sentence.ANSWER_STOPPED)
        return TextReplyResult(text=text, again=again, over=True)
    return TextReplyResult(collect_answers(records), again=again)


def _stays(record: QuestionRecord) -> bool:
    decision = record.decision
    return record.question.kind is QuestionKind.PAUSE and (decision is None or decision.option != "approve")


def _decided_by(record: QuestionRecord, message: InboundMessage) -> bool:
    """Return whether this very message decided it: before a crash, or just now."""
    return record.decision is not None and record.decision.source == message.id


def _answered(
    services: CoreServices, waiting: Sequence[_Open], message: InboundMessage
) -> tuple[_Open, Decision | str]:
    """Return the question that a message answers, with what it decides or why it decides nothing.

    It answers the one that it replies to, else the newest that takes such words. Words that are also an
    option of an older question decide nothing: whose answer they are would be a guess.
    """
    replied = [each for each in waiting if message.replies_to and message.replies_to in each[0].messages]
    newest_first = replied or waiting[::-1]
    unreadable = say(services.language(message), Sentence.QUESTION_UNREADABLE)
    refusal = ""
    for place, each in enumerate(newest_first):
        decision = _read_decision(services, each[0], message)
        if decision == unreadable:
            return each, decision
        if isinstance(decision, Decision):
            older = [record for record, _ in newest_first[place + 1 :]]
            if not decision.option and any(_has_option(services, record, message) for record in older):
                return each, _which(services, each[0], message)
            return each, decision
        refusal = refusal or decision
    return newest_first[0], refusal


def _has_option(services: CoreServices, record: QuestionRecord, message: InboundMessage) -> bool:
    """Return whether a message names an option; a number is as likely an answer in words."""
    if message.text.strip().isdecimal():
        return False
    decision = _read_decision(services, record, message)
    return isinstance(decision, Decision) and bool(decision.option)


def _which(services: CoreServices, record: QuestionRecord, message: InboundMessage) -> str:
    unsure = say(services.language(message), Sentence.QUESTION_WHICH)
    return f"{unsure}\n\n{render_question(record, buttons=False, last=True)}"


def _read_decision(services: CoreServices, record: QuestionRecord, message: InboundMessage) -> Decision | str:
    """Return what the message decides, or the text that says why it decides nothing."""
    language = services.language(message)
    admins = services.channel_options(message).admins
    if not may_decide(record.rules, message.sender, record.asker, admins):
        return say(language, Sentence.QUESTION_OTHERS, name=record.asker.name or record.asker.id)
    question = localise_question(record.language, record.question)
    again = render_question(record, buttons=False, last=True)
    first = f"{say(language, Sentence.QUESTION_FIRST)}\n\n{again}"
    if not message.text.strip():
        return f"{say(language, Sentence.QUESTION_WANTS_WORDS)}\n\n{again}" if message.attachments else again
    if message.follows:  # It was suggested before the question was there, perhaps in the words of an option.
        return first
    said = parse_reply(question, message.text)
    if said is None:
        return say(language, Sentence.QUESTION_UNREADABLE)
    kind, text = said
    if kind is AnswerKind.WORDS and not takes_words(question, text):
        return again if question.kind is QuestionKind.INPUT else first
    now = services.clock()
    if kind is AnswerKind.OPTION:
        return Decision(text, "", message.sender, now, message.id)
    return Decision(EDIT if kind is AnswerKind.EDIT else "", text, message.sender, now, message.id)


async def _publish(services: CoreServices, record: QuestionRecord) -> None:
    """Let everybody see the decision, and keep it on record; once, however often this is called."""
    await services.journal.put(event_item(record, QuestionEventKind.SETTLE))
    with suppress(DocumentConflict):
        await services.journal.set(audit.decided_document(record))


def _next(
    services: CoreServices, message: InboundMessage, record: QuestionRecord, count: int
) -> TextReplyResult:
    noted = say(services.language(message), Sentence.QUESTION_NOTED, count=count)
    return TextReplyResult(text=f"{noted}\n\n{render_question(record, buttons=False, last=True)}")
