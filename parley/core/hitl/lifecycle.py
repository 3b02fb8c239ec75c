"""From an interrupted turn to its open questions, and from decisions to the turn that goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parley.core.hitl import audit
from parley.core.hitl.policy import fit_rules
from parley.core.hitl.records import (
    QuestionEventKind,
    QuestionRecord,
    decode_question,
    event_item,
    new_question_document,
    offer_turn,
    question_document,
    question_key,
    questions_of_turn,
)
from parley.core.inbound.turn_queue import turn_item
from parley.core.model.address import Conversation
from parley.core.model.codec import encode
from parley.core.model.options import DecisionRules
from parley.core.model.questions import EDIT, AnswerKind, Decision, InterruptAnswer, Question
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, Journal, NewQueueItem, update_document
from parley.core.services import CoreServices
from parley.core.state.conversations import PendingQuestion
from parley.core.state.turn_record import TurnRecord


@dataclass(frozen=True, slots=True)
class QuestionOpening:
    """What makes a turn's questions open, in one transaction with its end."""

    pending: PendingQuestion | None
    documents: tuple[Document, ...]
    puts: tuple[NewQueueItem, ...]


def open_questions(
    services: CoreServices, message: InboundMessage, turn_id: str, turn: TurnRecord
) -> QuestionOpening | None:
    """Return the questions that a turn ends with, ready to be asked; None where there are none.

    Only those of its run keep the conversation waiting.
    """
    if not turn.questions and not turn.offers:
        return None
    asked = _records(services, message, turn_id, turn)
    records = (*asked, *_offers(services, message, turn_id, turn))
    documents = [
        document
        for record in records
        for document in (new_question_document(record), audit.asked_document(record))
    ]
    puts = [put for record in records for put in _puts(record)]
    keys = tuple(record.question.id for record in asked)
    pending = PendingQuestion(keys, message.sender.id, message.sender.name, turn_id) if asked else None
    return QuestionOpening(pending, tuple(documents), tuple(puts))


def _records(
    services: CoreServices, message: InboundMessage, turn_id: str, turn: TurnRecord
) -> tuple[QuestionRecord, ...]:
    total = len(turn.questions)
    found = []
    for number, question in enumerate(turn.questions, start=1):
        rules = fit_rules(services.options.questions.rules_for(question), question)
        record = _record(services, message, turn_id, question, rules, number)
        found.append(replace(record, thread=turn.thread, number=number, total=total))
    return tuple(found)


def _offers(
    services: CoreServices, message: InboundMessage, turn_id: str, turn: TurnRecord
) -> Iterator[QuestionRecord]:
    """Yield the questions of our own, which whoever wrote the message decides, and nobody else."""
    for number, question in enumerate(turn.offers, start=1):
        record = _record(services, message, offer_turn(turn_id), question, DecisionRules(), number)
        yield replace(record, offer=True)


def _record(
    services: CoreServices,
    message: InboundMessage,
    turn_id: str,
    question: Question,
    rules: DecisionRules,
    number: int,
) -> QuestionRecord:
    now = services.clock()
    return QuestionRecord(
        question=replace(question, id=question_key(turn_id, number)),
        interrupt=question.id,
        turn=turn_id,
        thread="",
        conversation=message.conversation.key,
        place=_place(services, rules.ask, message.conversation),
        asker=message.sender,
        private=message.private,
        reply_to=message.reply_to,
        language=services.language(message),
        asked_at=now,
        rules=rules,
        until=now + rules.expires_after if rules.expires_after else 0.0,
    )


def _place(services: CoreServices, wanted: str, here: Conversation) -> str:
    """Return where to ask: elsewhere only with buttons, as words said there belong to other talk."""
    channel = services.channels.get(Conversation.parse(wanted).channel) if wanted else None
    return wanted if channel is not None and channel.capabilities.buttons else here.key


def _puts(record: QuestionRecord) -> list[NewQueueItem]:
    rules, puts = record.rules, [event_item(record, QuestionEventKind.ASK)]
    if rules.remind_after:
        puts.append(event_item(record, QuestionEventKind.REMIND, rules.remind_after))
    if rules.expires_after:
        puts.append(event_item(record, QuestionEventKind.EXPIRE, rules.expires_after))
    return puts


def decision_changes(
    record: QuestionRecord, document: Document, decision: Decision
) -> tuple[tuple[Document, ...], tuple[NewQueueItem, ...]]:
    """Return what a decision changes: to be written as one. A second one finds the document changed."""
    record = replace(record, decision=decision)
    return (question_document(document, record), audit.decided_document(record)), (
        event_item(record, QuestionEventKind.SETTLE),
    )


def drop_changes(
    record: QuestionRecord, document: Document
) -> tuple[tuple[Document, ...], tuple[NewQueueItem, ...]]:
    """Return what closes a question that nobody needs to decide any more."""
    closed = replace(record, dropped=True)
    return (question_document(document, closed),), (event_item(closed, QuestionEventKind.SETTLE),)


def collect_answers(records: Sequence[QuestionRecord]) -> tuple[InterruptAnswer, ...]:
    """Return what the agent is given for a turn's questions, once all are decided."""
    return tuple(_answer(record, record.decision) for record in records if record.decision is not None)


def _answer(record: QuestionRecord, decision: Decision) -> InterruptAnswer:
    if decision.option == EDIT and record.question.may_edit:
        return InterruptAnswer(record.interrupt, decision.text, AnswerKind.EDIT)
    if decision.option:
        return InterruptAnswer(record.interrupt, decision.option, AnswerKind.OPTION)
    return InterruptAnswer(record.interrupt, decision.text)


def resume_item(record: QuestionRecord, now: float) -> NewQueueItem:
    """Return the message of our own that lets the turn's run go on, once for each turn."""
    conversation = Conversation.parse(record.conversation)
    message = InboundMessage(
        id=record.reply_to,
        conversation=conversation,
        sender=record.asker,
        text="",
        addressed=True,
        private=record.private,
        sent_at=now,
        resumes=record.turn,
    )
    return turn_item(message, f"resume:{record.turn}")


async def drop_questions(journal: Journal, turn: str) -> None:
    """Close what is still open of a turn's questions: the conversation goes on without them.

    Called again after a crash it goes on where it was. Raises StoreUnavailable.
    """
    for _, document in await questions_of_turn(journal, turn):
        record = await update_document(journal, document.key, _dropped)
        if record is not None and record.dropped:
            await journal.put(event_item(record, QuestionEventKind.SETTLE))


def _dropped(document: Document) -> tuple[QuestionRecord | None, str | None]:
    """Return the record closed, unless somebody decided it, and the document's new body."""
    record = decode_question(document)
    if record is None or not record.open:
        return record, None
    record = replace(record, dropped=True)
    return record, encode(record)
