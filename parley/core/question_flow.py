"""From an interrupted turn to its open questions, and from decisions to the turn that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core import audit
from parley.core.asking import (
    Happening,
    QuestionRecord,
    event_put,
    fresh,
    key_of,
    of_turn,
    written,
)
from parley.core.busy import for_agent
from parley.core.conversations import PendingQuestion
from parley.core.deciding import as_given, narrowed
from parley.core.errors import DocumentConflict
from parley.core.journal import Document, Journal, Put
from parley.core.record import TurnRecord
from parley.core.services import Services
from parley.core.types import Conversation, Decision, Given, InboundMessage


@dataclass(frozen=True, slots=True)
class Opening:
    """What makes a turn's questions open, in one transaction with its end."""

    pending: PendingQuestion
    documents: tuple[Document, ...]
    puts: tuple[Put, ...]


def opening(services: Services, message: InboundMessage, turn_id: str, turn: TurnRecord) -> Opening | None:
    """The questions that a turn ends with, ready to be asked; None where there are none."""
    if not turn.questions:
        return None
    records = _records(services, message, turn_id, turn)
    documents = [document for record in records for document in (fresh(record), audit.asked(record))]
    puts = [put for record in records for put in _puts(record)]
    keys = tuple(record.question.id for record in records)
    pending = PendingQuestion(keys, message.sender.id, message.sender.name, turn_id)
    return Opening(pending, tuple(documents), tuple(puts))


def _records(
    services: Services, message: InboundMessage, turn_id: str, turn: TurnRecord
) -> tuple[QuestionRecord, ...]:
    now, total = services.clock(), len(turn.questions)
    found = []
    for number, question in enumerate(turn.questions, start=1):
        rules = narrowed(services.options.questions.rules_for(question), question)
        found.append(
            QuestionRecord(
                question=replace(question, id=key_of(turn_id, number)),
                interrupt=question.id,
                turn=turn_id,
                thread=turn.thread,
                conversation=message.conversation.key,
                place=_place(services, rules.ask, message.conversation),
                asker=message.sender,
                private=message.private,
                reply_to=message.id,
                language=services.language(message),
                asked_at=now,
                rules=rules,
                number=number,
                total=total,
                until=now + rules.expires_after if rules.expires_after else 0.0,
            )
        )
    return tuple(found)


def _place(services: Services, wanted: str, here: Conversation) -> str:
    """Where to ask: elsewhere only with buttons, as words said there belong to other talk."""
    channel = services.channels.get(Conversation.parse(wanted).channel) if wanted else None
    return wanted if channel is not None and channel.capabilities.buttons else here.key


def _puts(record: QuestionRecord) -> list[Put]:
    rules, puts = record.rules, [event_put(record, Happening.ASK)]
    if rules.remind_after:
        puts.append(event_put(record, Happening.REMIND, rules.remind_after))
    if rules.expires_after:
        puts.append(event_put(record, Happening.EXPIRE, rules.expires_after))
    return puts


def decided(
    record: QuestionRecord, document: Document, decision: Decision
) -> tuple[tuple[Document, ...], tuple[Put, ...]]:
    """What a decision changes: to be written as one. A second one finds the document changed."""
    record = replace(record, decision=decision)
    return (written(document, record), audit.decided(record)), (event_put(record, Happening.SETTLE),)


def given_by(records: Sequence[QuestionRecord]) -> tuple[Given, ...]:
    """What the agent is given for a turn's questions, once all are decided."""
    return tuple(
        Given(record.interrupt, as_given(record.decision.option, record.decision.text))
        for record in records
        if record.decision is not None
    )


def resuming(record: QuestionRecord, now: float) -> Put:
    """The message of our own that lets the turn's run go on, once for each turn."""
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
    return for_agent(message, f"resume:{record.turn}")


async def drop(journal: Journal, turn: str) -> None:
    """Close what is still open of a turn's questions: the conversation goes on without them.

    Raises StoreUnavailable.
    """
    for record, document in await of_turn(journal, turn):
        if record.open:
            try:
                await journal.set(written(document, replace(record, dropped=True)))
            except DocumentConflict:
                continue  # Somebody decided it just now.
            await journal.put(event_put(record, Happening.SETTLE))
