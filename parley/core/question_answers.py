"""A message to a conversation that waits for decisions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.core import audit
from parley.core.asking import Happening, QuestionRecord, event_put, of_turn, written
from parley.core.conversations import PendingQuestion
from parley.core.deciding import Meaning, may_decide, meaning_of
from parley.core.errors import DocumentConflict
from parley.core.journal import Document
from parley.core.question_flow import given_by
from parley.core.questions import render, shown
from parley.core.services import Services
from parley.core.texts import Sentence, say
from parley.core.types import EDIT, Decision, Given, InboundMessage, QuestionKind


@dataclass(frozen=True, slots=True)
class Taken:
    """What becomes of the message: the run goes on with `given`, or its sender is told `text`.

    `again` says that the run goes on without it, so that it has to be worked again afterwards; `over` that
    there is nothing to go on with.
    """

    given: tuple[Given, ...] = ()
    text: str = ""
    again: bool = False
    over: bool = False


async def take(services: Services, pending: PendingQuestion, message: InboundMessage) -> Taken:
    """Let a message decide the oldest open question. Raises StoreUnavailable."""
    while True:
        questions = await of_turn(services.journal, pending.turn)
        records = [record for record, _ in questions]
        waiting = [each for each in questions if each[0].open]
        ours = [record for record in records if _decided_by(record, message)]
        for record in ours:
            await _publish(services, record)
        if message.resumes or not waiting:
            return _going_on(services, message, records, again=not (message.resumes or ours))
        if ours:
            return _next(services, message, waiting[0][0], len(waiting))
        record, document = waiting[0]
        refusal = _refusal(services, record, message)
        if refusal:
            return Taken(text=refusal)
        try:
            await _decide(services, record, document, message)
        except DocumentConflict:
            continue


def _going_on(
    services: Services, message: InboundMessage, records: Sequence[QuestionRecord], *, again: bool
) -> Taken:
    # A pause has no answer that says no: its run simply stays where it is.
    if any(_stays(record) for record in records):
        text = say(services.language(message), Sentence.ANSWER_STOPPED)
        return Taken(text=text, again=again, over=True)
    return Taken(given_by(records), again=again)


def _stays(record: QuestionRecord) -> bool:
    decision = record.decision
    return record.question.kind is QuestionKind.PAUSE and (decision is None or decision.option != "approve")


def _decided_by(record: QuestionRecord, message: InboundMessage) -> bool:
    """Whether this very message decided it: before a crash, or just now."""
    return record.decision is not None and record.decision.source == message.id


def _refusal(services: Services, record: QuestionRecord, message: InboundMessage) -> str:
    """Why the message decides nothing, or ""."""
    language = services.language(message)
    admins = services.channel_options(message).admins
    if not may_decide(record.rules, message.sender, record.asker, admins):
        return say(language, Sentence.QUESTION_OTHERS, name=record.asker.name or record.asker.id)
    question = shown(record.language, record.question)
    if not message.text.strip():
        return render(record, buttons=False)
    meaning, _ = meaning_of(question, message.text)
    if meaning is Meaning.UNREADABLE:
        return say(language, Sentence.QUESTION_UNREADABLE)
    if meaning is Meaning.WORDS and question.options and not question.may_respond:
        return render(record, buttons=False)
    return ""


async def _decide(
    services: Services, record: QuestionRecord, document: Document, message: InboundMessage
) -> None:
    meaning, value = meaning_of(shown(record.language, record.question), message.text)
    option = {Meaning.OPTION: value, Meaning.EDITED: EDIT}.get(meaning, "")
    text = "" if meaning is Meaning.OPTION else value
    decision = Decision(option, text, message.sender, services.clock(), message.id)
    await services.journal.set(written(document, replace(record, decision=decision)))


async def _publish(services: Services, record: QuestionRecord) -> None:
    """Let everybody see the decision, and keep it on record; once, however often this is called."""
    await services.journal.put(event_put(record, Happening.SETTLE))
    with suppress(DocumentConflict):
        await services.journal.set(audit.decided(record))


def _next(services: Services, message: InboundMessage, record: QuestionRecord, count: int) -> Taken:
    noted = say(services.language(message), Sentence.QUESTION_NOTED, count=count)
    return Taken(text=f"{noted}\n\n{render(record, buttons=False)}")
