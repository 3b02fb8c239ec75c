"""What happens to questions, one piece of work at a time: asked, decided, reminded of, settled."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

from parley.core.delivery.delivery import Delivery
from parley.core.hitl.forget_offers import APPROVE, forget_offered
from parley.core.hitl.lifecycle import decision_changes, drop_changes, resume_item
from parley.core.hitl.policy import may_decide
from parley.core.hitl.records import (
    QuestionEvent,
    QuestionEventKind,
    QuestionRecord,
    click_item,
    decode_question,
    question_document,
    question_document_key,
    questions_of_turn,
)
from parley.core.hitl.render import (
    arguments_budget,
    localise_question,
    needs_arguments_file,
    render_question,
    render_settled,
)
from parley.core.inbound.access import may_talk
from parley.core.model.address import Conversation
from parley.core.model.attachments import AttachmentKind, StoredFile
from parley.core.model.codec import decode
from parley.core.model.errors import DeliveryRejected, DocumentConflict, MemoryFailed
from parley.core.model.questions import Decision
from parley.core.model.types import OutboundMessage, ReplyTarget
from parley.core.ports.channel import Channel, Checkpoint
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.core.services import CoreServices
from parley.core.texts import Sentence, say

log = logging.getLogger(__name__)


async def handle_question_event(services: CoreServices, claim: Claim) -> None:
    """Do the lane's first piece of work. Raises LaneLost, StoreUnavailable."""
    event = decode(QuestionEvent, claim.items[0].body)
    document = await services.journal.get(question_document_key(event.key))
    record = decode_question(document)
    if record is None:
        await services.journal.done(claim, claim.items[:1])
        return
    match event.happening:
        case QuestionEventKind.ASK:
            await _ask(services, claim, record)
        case QuestionEventKind.SETTLE:
            await _settle(services, claim, record)
        case QuestionEventKind.REMIND:
            await _remind(services, claim, record)
        case QuestionEventKind.EXPIRE:
            puts = [
                click_item(record, replace(event, happening=QuestionEventKind.CLICK), f"expired:{event.key}")
            ]
            await services.journal.done(claim, claim.items[:1], puts=puts if record.open else ())
        case QuestionEventKind.CLICK:
            await _decide(services, claim, event)


async def _ask(services: CoreServices, claim: Claim, record: QuestionRecord) -> None:
    """Show the question, and keep how to find its message again."""
    item, handle = claim.items[0], claim.items[0].note
    shown: tuple[str, ...] = ()

    async def keep(note: str) -> None:
        nonlocal handle
        handle = note
        await services.journal.note(claim, item.id, note)

    if record.open:
        able = _channel_of(services, record).capabilities
        question = localise_question(record.language, record.question) if able.buttons else None
        room = arguments_budget(able.max_chars)
        files = await asyncio.to_thread(_arguments, services.files, record, room)
        text = render_question(record, buttons=able.buttons, edits=able.buttons and able.edits, room=room)
        message = replace(_message(record, record.question.id, text), question=question, attachments=files)
        shown = await _deliver(services, record, message, handle, keep)
    while True:
        document = await services.journal.get(question_document_key(record.question.id))
        now = decode_question(document) or record
        try:
            kept = [question_document(document, replace(now, handle=handle, messages=shown))]
            await services.journal.done(claim, [item], documents=kept)
        except DocumentConflict:
            continue
        return


async def _settle(services: CoreServices, claim: Claim, record: QuestionRecord) -> None:
    """Let the question's message say what was decided, and take its buttons away."""
    channel = _channel_of(services, record)
    if channel.capabilities.buttons and record.handle:
        reply = channel.open_reply(_target(record, record.question.id, record.handle), _forget)
        try:
            text = render_settled(record, arguments_budget(channel.capabilities.max_chars))
            waited = services.wait_observer(channel.name)
            delivery = Delivery(reply, 0.0, waited=waited, cut=services.deliveries.count_cut)
            await delivery.settle(_message(record, record.question.id, text))
        except DeliveryRejected as error:
            log.info("question %s: its message cannot be changed: %s", record.question.id, error)
    await services.journal.done(claim, claim.items[:1])


async def _remind(services: CoreServices, claim: Claim, record: QuestionRecord) -> None:
    item = claim.items[0]

    async def keep(note: str) -> None:
        await services.journal.note(claim, item.id, note)

    if record.open:
        text = say(record.language, Sentence.QUESTION_REMINDER, name=record.asker.name or record.asker.id)
        await _deliver(services, record, _message(record, f"{record.question.id}-r", text), item.note, keep)
    await services.journal.done(claim, [item])


async def _decide(services: CoreServices, claim: Claim, event: QuestionEvent) -> None:
    """Take the decision, once; with the last one of its turn the run goes on."""
    while True:
        questions = await questions_of_turn(services.journal, claim.lane)
        record, document = next(each for each in questions if each[0].question.id == event.key)
        decision = _decision(services, record, event)
        if decision is None or not (record.offer or await _waits(services, record)):
            await services.journal.done(claim, claim.items[:1])
            return
        last = not any(other.open for other, _ in questions if other.question.id != event.key)
        try:
            documents, puts = await _changes(
                services, record, document, decision, resumes=last and event.resumes
            )
        except MemoryFailed as error:
            await _tell_failure(services, claim, record, error)
            return
        if await _done(services, claim, documents, puts):
            return


async def _changes(
    services: CoreServices, record: QuestionRecord, document: Document, decision: Decision, *, resumes: bool
) -> tuple[tuple[Document, ...], tuple[NewQueueItem, ...]]:
    """Return what a decision changes; where it `resumes`, the turn's run goes on.

    What an offer says is done first: done again after a crash it changes nothing. Raises MemoryFailed.
    """
    if record.offer and decision.option == APPROVE and not await forget_offered(services, record):
        return drop_changes(record, document)
    documents, puts = decision_changes(record, document, decision)
    if resumes and not record.offer:
        puts = (*puts, resume_item(record, services.clock()))
    return documents, puts


async def _tell_failure(
    services: CoreServices, claim: Claim, record: QuestionRecord, error: MemoryFailed
) -> None:
    """Say that the fact is still there, and let the question stay open."""
    log.warning("question %s: the fact is not forgotten: %s", record.question.id, error)
    text = say(record.language, Sentence.MEMORY_TOOL_STILL_THERE)
    await _deliver(services, record, _message(record, f"{record.question.id}-f", text), "", _forget)
    await services.journal.done(claim, claim.items[:1])


def _decision(services: CoreServices, record: QuestionRecord, event: QuestionEvent) -> Decision | None:
    """Return what the event decides; None where somebody was quicker, or may not."""
    if not record.open:
        return None
    click, now = event.click, services.clock()
    if click is None:
        text = "" if record.rules.expired else say(record.language, Sentence.QUESTION_NO_ANSWER)
        return Decision(record.rules.expired, text, None, now)
    options = services.options.channels[click.conversation.channel]
    if not may_talk(options, click.sender, click.conversation, services.pairing):
        return None
    if not may_decide(record.rules, click.sender, record.asker, options.admins):
        return None
    return Decision(click.option, click.text, click.sender, now, click.id)


async def _waits(services: CoreServices, record: QuestionRecord) -> bool:
    """Return whether the conversation still stands where the question was asked."""
    conversation, _ = await services.conversations.read(Conversation.parse(record.conversation))
    return conversation.question is not None and conversation.question.turn == record.turn


async def _done(
    services: CoreServices, claim: Claim, documents: tuple[Document, ...], puts: tuple[NewQueueItem, ...]
) -> bool:
    try:
        await services.journal.done(claim, claim.items[:1], documents=documents, puts=puts)
    except DocumentConflict:
        return False
    return True


async def _deliver(
    services: CoreServices, record: QuestionRecord, message: OutboundMessage, handle: str, keep: Checkpoint
) -> tuple[str, ...]:
    """Return the ids of the messages that arrived."""
    target = _target(record, message.turn_id, handle)
    try:
        channel = _channel_of(services, record)
        waited = services.wait_observer(channel.name)
        reply, cut = channel.open_reply(target, keep), services.deliveries.count_cut
        receipt = await Delivery(reply, 0.0, waited=waited, cut=cut).finish(message)
    except DeliveryRejected as error:
        log.error("question %s cannot be shown: %s", record.question.id, error)
        services.deliveries.count_rejected(message)
        return ()
    services.deliveries.count_delivered(message, receipt)
    return receipt.message_ids


def _target(record: QuestionRecord, key: str, handle: str) -> ReplyTarget:
    here = record.place == record.conversation
    return ReplyTarget(
        key,
        Conversation.parse(record.place),
        record.reply_to if here else "",
        record.asker,
        record.private and here,
        handle,
    )


def _message(record: QuestionRecord, key: str, text: str) -> OutboundMessage:
    reply_to = record.reply_to if record.place == record.conversation else ""
    return OutboundMessage(key, Conversation.parse(record.place), reply_to, text, final=True)


def _channel_of(services: CoreServices, record: QuestionRecord) -> Channel:
    return services.channels[Conversation.parse(record.place).channel]


def _arguments(folder: Path, record: QuestionRecord, room: int) -> tuple[StoredFile, ...]:
    """Return arguments that are too long for a message, as a file."""
    if not needs_arguments_file(record.question, room):
        return ()
    path = folder / record.question.id / "arguments.json"
    data = record.question.arguments.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return (StoredFile(AttachmentKind.FILE, path.name, "application/json", len(data), str(path)),)


async def _forget(handle: str) -> None:
    """Keep nothing: a settled question is found by the handle it has."""
