"""An edited message: it changes what still waits to be answered, or has the last turn run again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parley.core.bursts import Accepted, content
from parley.core.conversations import ConversationRecord
from parley.core.question_flow import drop
from parley.core.services import Services
from parley.core.types import InboundMessage


def folded(waiting: Sequence[Accepted]) -> tuple[Accepted, ...]:
    """Waiting messages as they read after the edits that wait behind them.

    An edit of a message that does not wait any more stays where it is.
    """
    found: list[Accepted] = []
    for each in waiting:
        at = _changed_by(found, each.message) if each.message.edits else None
        if at is None:
            found.append(each)
        else:
            before = found[at]
            message = _changed(before.message, each.message)
            found[at] = Accepted(before.item, message, (*before.edits, each.item))
    return tuple(found)


def rewritten(
    messages: Sequence[InboundMessage], edits: Iterable[InboundMessage]
) -> tuple[InboundMessage, ...]:
    """The messages as they read after the edits."""
    for edit in edits:
        messages = [_changed(each, edit) if _is_of(edit, each) else each for each in messages]
    return tuple(messages)


def spelled_out(last: Sequence[InboundMessage], burst: Sequence[Accepted]) -> tuple[Accepted, ...]:
    """The burst itself, or, where it is an edit, what the `last` turn was asked as that reads now.

    Nothing where the edit is of an older message, or changes no word and no file.
    """
    lead = burst[0]
    if not lead.message.edits:
        return tuple(burst)
    messages = rewritten(last, [lead.message])
    if all(content(now) == content(before) for now, before in zip(messages, last, strict=True)):
        return ()
    return tuple(
        Accepted(lead.item, replace(message, retries=lead.message.id), lead.edits) for message in messages
    )


async def as_asked(services: Services, burst: Sequence[Accepted]) -> tuple[Accepted, ...]:
    """The burst, spelled out; its conversation then waits for no decision that the last turn asked for.

    An edit of messages that were missed, and offered to be answered after all, changes the offer.
    Raises StoreUnavailable.
    """
    lead = burst[0]
    if not lead.message.edits:
        return tuple(burst)
    conversation = lead.message.conversation
    record, _ = await services.conversations.read(conversation)
    found = spelled_out(record.last, burst)
    if lead.item.note:
        # Its reply has begun: it is brought to its end even where the conversation began anew meanwhile.
        own = replace(lead.message, id=lead.message.edits, edits="", retries=lead.message.id)
        return found or (Accepted(lead.item, own, lead.edits),)
    if found and record.question is not None:
        await drop(services.journal, record.question.turn)
        await services.conversations.change(conversation, lambda record: replace(record, question=None))
    elif record.missed is not None:
        await services.conversations.change(conversation, lambda record: _offered(record, lead.message))
    return found


def _offered(record: ConversationRecord, edit: InboundMessage) -> ConversationRecord:
    missed = record.missed
    if missed is None:
        return record
    return replace(record, missed=replace(missed, messages=rewritten(missed.messages, [edit])))


def _changed_by(found: Sequence[Accepted], edit: InboundMessage) -> int | None:
    return next((at for at, each in enumerate(found) if _is_of(edit, each.message)), None)


def _is_of(edit: InboundMessage, message: InboundMessage) -> bool:
    """Whether an edit is of this message, or of the one that this message edits; by its writer."""
    same = edit.edits in (message.id, message.edits)
    return same and edit.sender.id == message.sender.id and not message.resumes


def _changed(message: InboundMessage, edit: InboundMessage) -> InboundMessage:
    """The message in its place, as the edit has it."""
    kept = replace(message, text=edit.text, attachments=edit.attachments, sent_at=edit.sent_at)
    return replace(kept, sender=edit.sender, quoted=edit.quoted or message.quoted)
