"""What was heard in groups of platforms that let no bot read their history: the newest messages."""

from __future__ import annotations

from collections.abc import Callable
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

    def with_message(self, message: EarlierMessage, edited: str = "") -> HeardRecord:
        """Return the record with one more; as an edit it takes the place of the message `edited`, by its
        writer, or changes nothing.
        """
        if edited:
            return HeardRecord(tuple(_edited(each, message, edited) for each in self.messages))
        if any(each.id == message.id for each in self.messages):
            return self
        return HeardRecord((*self.messages, message))

    def newest(self, characters: int, oldest: float) -> HeardRecord:
        """Return what of the record is kept: not too many, not too much, and none sent before `oldest`."""
        left = characters
        kept: list[EarlierMessage] = []
        for each in reversed(self.messages[-MOST_MESSAGES:]):
            left -= len(each.text) + len(each.quoted)
            if each.sent_at < oldest or (kept and left < 0):
                break
            kept.append(each)
        return HeardRecord(tuple(reversed(kept)))

    def without(self, is_one: Callable[[User], bool]) -> HeardRecord:
        """Return the record without the messages of a person."""
        return HeardRecord(tuple(each for each in self.messages if not is_one(each.sender)))


NOTHING_HEARD = HeardRecord()


def heard_document_key(conversation: Conversation) -> str:
    """Return where it is kept what was heard in a conversation."""
    return HEARD_PREFIX + conversation.key


def decode_heard(document: Document) -> HeardRecord:
    """Return the record that a document holds."""
    return decode(HeardRecord, document.body) if document.body else NOTHING_HEARD


async def keep_heard(
    documents: DocumentRepository, message: InboundMessage, characters: int, oldest: float
) -> None:
    """Add a message to what was heard in its conversation; durable on return. Raises StoreUnavailable."""

    def added(document: Document) -> tuple[None, str | None]:
        before = decode_heard(document)
        after = before.with_message(_heard(message), message.edits)
        if after == before:
            return None, None
        return None, encode(after.newest(characters, oldest))

    await update_document(documents, heard_document_key(message.conversation), added)


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


def _edited(known: EarlierMessage, edit: EarlierMessage, edited: str) -> EarlierMessage:
    if known.id != edited or known.sender.id != edit.sender.id:
        return known
    return replace(known, text=edit.text, files=edit.files)
