"""Which waiting messages are one turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from parley.core.model.codec import decode
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import QueueItem

# Some platforms tell the time of sending in whole seconds.
_CLOCK_GRAIN = 1.0

_LATE = 60.0
"""Seconds from which a message came late, and was not sent by a clock that is behind ours."""


@dataclass(frozen=True, slots=True)
class QueuedMessage:
    """A durable message: its item, and what was written; `edits` are the items of edits that changed it."""

    item: QueueItem
    message: InboundMessage
    edits: tuple[QueueItem, ...] = ()

    @property
    def said_at(self) -> float:
        """Return when it was said, in Unix seconds, to be compared with what happened here.

        That is when it was accepted: a platform's clock may be ahead of ours or behind it. Of what came late,
        or is answered again, only the platform knows.
        """
        late = self.item.put_at - self.message.sent_at > _LATE
        return self.message.sent_at if late or self.message.retries else self.item.put_at


def decode_messages(items: Sequence[QueueItem]) -> tuple[QueuedMessage, ...]:
    """Return items of the turn queue as messages."""
    return tuple(QueuedMessage(item, decode_message(item.body)) for item in items)


@lru_cache(maxsize=32)
def decode_message(body: str) -> InboundMessage:
    """Return the message of an item; cached, as a turn looks at its first one three times before it begins.

    Raises ValueError.
    """
    return decode(InboundMessage, body)


def in_written_order(waiting: Sequence[QueuedMessage]) -> tuple[QueuedMessage, ...]:
    """Return messages that have not begun as people wrote them, by their platform's own time.

    Several nodes hear a platform, and after an outage of the store they write down what they heard in any
    order. Where something among them refers to another, they stay as they are.
    """
    said = [each.message for each in waiting]
    if any(each.edits or each.resumes or each.retries or each.follows for each in said):
        return tuple(waiting)
    return tuple(sorted(waiting, key=lambda each: each.message.sent_at))


def message_content(message: InboundMessage) -> tuple[object, ...]:
    """Return what was said, to tell whether an edit changed any of it."""
    return (message.text, *((file.name, file.mime, file.size) for file in message.attachments))


def batch_items(burst: Sequence[QueuedMessage]) -> list[QueueItem]:
    """Return every item that is worked with the burst, each once."""
    found = {item.id: item for each in burst for item in (each.item, *each.edits)}
    return list(found.values())


def first_batch(waiting: Sequence[QueuedMessage], window: float, limit: int) -> tuple[QueuedMessage, ...]:
    """Return the messages, from the oldest on, that make the next turn.

    One person's messages are one turn while each follows the one before within `window` seconds, or is of
    the same album. Beyond `limit` waiting messages the oldest become one turn, whoever wrote them. A message
    that lets a run go on is a turn of its own, and so are an edit, a pressed one and those that are answered
    again.
    """
    overflow = len(waiting) - limit + 1 if len(waiting) > limit else 1
    size = min(overflow, len(waiting))
    while size < len(waiting) and _belongs(waiting[size - 1], waiting[size], window):
        size += 1
    apart = next((at for at in range(1, size) if _apart(waiting[0], waiting[at])), size)
    return tuple(waiting[:apart])


def _apart(first: QueuedMessage, later: QueuedMessage) -> bool:
    one, other = first.message, later.message
    alone = (one.resumes, other.resumes, one.edits, other.edits, one.follows, other.follows)
    return any(alone) or one.retries != other.retries


def _belongs(earlier: QueuedMessage, later: QueuedMessage, window: float) -> bool:
    if later.message.retries:
        return later.message.retries == earlier.message.retries
    if earlier.message.sender.id != later.message.sender.id or earlier.message.resumes:
        return False
    if later.message.group and earlier.message.group == later.message.group:
        return True
    arrived = later.item.put_at - earlier.item.put_at
    written = later.message.sent_at - earlier.message.sent_at
    return window > 0 and arrived <= window and written <= window + _CLOCK_GRAIN


def merge_batch(burst: Sequence[QueuedMessage]) -> InboundMessage:
    """Return the burst as one message: the first one's sender, the last one's id to reply to."""
    messages = [accepted.message for accepted in burst]
    first, last = messages[0], messages[-1]
    if len(messages) == 1:
        return first
    several = len({message.sender.id for message in messages}) > 1
    texts = [_signed(message) if several else message.text for message in messages]
    return replace(
        last,
        sender=first.sender,
        text="\n".join(text for text in texts if text.strip()),
        attachments=tuple(entry for message in messages for entry in message.attachments),
        quoted="\n".join(dict.fromkeys(message.quoted for message in messages if message.quoted)),
    )


def _signed(message: InboundMessage) -> str:
    return f"{message.sender.name or message.sender.id}: {message.text}"
