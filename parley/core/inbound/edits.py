"""An edited message: it changes what still waits to be answered, or has the last turn run again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parley.core.inbound.batching import QueuedMessage, message_content
from parley.core.model.types import InboundMessage


def fold_edits(waiting: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """Waiting messages as they read after the edits that wait behind them.

    An edit of a message that does not wait any more stays where it is.
    """
    found: list[QueuedMessage] = []
    for each in waiting:
        at = _changed_by(found, each.message) if each.message.edits else None
        if at is None:
            found.append(each)
        else:
            before = found[at]
            message = _changed(before.message, each.message)
            found[at] = QueuedMessage(before.item, message, (*before.edits, each.item))
    return tuple(found)


def apply_edits(
    messages: Sequence[InboundMessage], edits: Iterable[InboundMessage]
) -> tuple[InboundMessage, ...]:
    """Return the messages as they read after the edits."""
    for edit in edits:
        messages = [_changed(each, edit) if _is_of(edit, each) else each for each in messages]
    return tuple(messages)


def expand_edit(last: Sequence[InboundMessage], burst: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """Return the burst itself, or, where it is an edit, what the `last` turn was asked as that reads now.

    Nothing where the edit is of an older message, or changes no word and no file.
    """
    lead = burst[0]
    if not lead.message.edits:
        return tuple(burst)
    messages = apply_edits(last, [lead.message])
    if all(
        message_content(now) == message_content(before) for now, before in zip(messages, last, strict=True)
    ):
        return ()
    return tuple(
        QueuedMessage(lead.item, replace(message, retries=lead.message.id), lead.edits)
        for message in messages
    )


def _changed_by(found: Sequence[QueuedMessage], edit: InboundMessage) -> int | None:
    return next((at for at, each in enumerate(found) if _is_of(edit, each.message)), None)


def _is_of(edit: InboundMessage, message: InboundMessage) -> bool:
    """Return whether an edit is of this message, or of the one that this message edits; by its writer."""
    same = edit.edits in (message.id, message.edits)
    return same and edit.sender.id == message.sender.id and not message.resumes


def _changed(message: InboundMessage, edit: InboundMessage) -> InboundMessage:
    """Return the message in its place, as the edit has it."""
    kept = replace(message, text=edit.text, attachments=edit.attachments, sent_at=edit.sent_at)
    return replace(kept, sender=edit.sender, quoted=edit.quoted or message.quoted)
