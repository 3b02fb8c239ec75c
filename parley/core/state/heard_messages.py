"""What was heard in groups of platforms that let no bot read their history: the newest messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode, encode
from parley.core.model.earlier_messages import EarlierMessage
from parley.core.model.types import InboundMessage
from parley.core.ports.journal import Document, DocumentRepository, update_document

HEARD_PREFIX = "heard/"
MOST_MESSAGES = 100
MOST_CHARACTERS = 4000
"""Of one message, with what it quotes."""


@dataclass(frozen=True, slots=True)
class HeardRecord:
    """The messages of one conversation that were not for us, oldest first, each once."""

    messages: tuple[EarlierMessage, ...] = ()

    def without(self, is_one: Callable[[User], bool]) -> HeardRecord:
        """Return the record without the messages of a person."""
        return HeardRecord(tuple(each for each in self.messages if not is_one(each.sender)))


NOTHING_HEARD = HeardRecord()


def heard_document_key(conversation: Conversation) -> str:
    """Return where it is kept what was heard in a conversation."""
    return HEARD_PREFIX + conversation.key


def decode_heard(document: Document) -> HeardRecord:
    """Return the record that a document holds: one line of JSON for each message."""
    if not document.body:
        return NOTHING_HEARD
    return HeardRecord(tuple(decode(EarlierMessage, line) for line in document.body.split("\n")))


def encode_heard(record: HeardRecord) -> str:
    """Return the record as the body of its document."""
    return "\n".join(map(encode, record.messages))


def trim_heard(body: str, characters: int, oldest: float) -> str:
    """Return what is kept of a record's body: not too many messages or too much, none before `oldest`."""
    return "\n".join(_newest(body.split("\n"), characters, oldest)) if body else ""


async def keep_heard(
    documents: DocumentRepository, message: InboundMessage, characters: int, oldest: float
) -> None:
    """Add a message to what was heard in its conversation; durable on return. Raises StoreUnavailable.

    As an edit it takes the place of its writer's message, or changes nothing.
    """

    def added(document: Document) -> tuple[None, str | None]:
        # Lines that do not change are not read: in a busy group there is much of this.
        lines = document.body.split("\n") if document.body else []
        start = f'{{"id":{json.dumps(message.edits or message.id, ensure_ascii=False)},'
        place = next((number for number, line in enumerate(lines) if line.startswith(start)), None)
        if (place is None) is bool(message.edits):
            return None, None
        if place is None:
            lines.append(encode(_heard(message)))
        else:
            lines[place] = encode(_edited(decode(EarlierMessage, lines[place]), _heard(message)))
        return None, "\n".join(_newest(lines, characters, oldest))

    await update_document(documents, heard_document_key(message.conversation), added)


def _newest(lines: Sequence[str], characters: int, oldest: float) -> Sequence[str]:
    """Return the last lines; the newest one is kept however long it is."""
    left, first = characters, len(lines)
    for line in reversed(lines[-MOST_MESSAGES:]):
        left -= len(line)
        if left < 0 and first < len(lines):
            break
        first -= 1
    while first < len(lines) and decode(EarlierMessage, lines[first]).sent_at < oldest:
        first += 1
    return lines[first:]


def _heard(message: InboundMessage) -> EarlierMessage:
    sender = message.sender
    return EarlierMessage(
        id=message.id,
        sender=User(sender.channel, sender.id, sender.name),
        text=message.text[:MOST_CHARACTERS],
        sent_at=message.sent_at,
        files=tuple(file.name for file in message.attachments),
        quoted=message.quoted[:MOST_CHARACTERS],
    )


def _edited(known: EarlierMessage, edit: EarlierMessage) -> EarlierMessage:
    if known.sender.id != edit.sender.id:
        return known
    return replace(known, text=edit.text, files=edit.files)
