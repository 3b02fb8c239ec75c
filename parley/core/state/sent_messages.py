"""What was answered on platforms that quote our own messages without their words: the newest answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parley.core.model.address import Conversation, User
from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, update_document

SENT_PREFIX = "sent/"
MOST_SENT = 40
MOST_SENT_CHARACTERS = 4000
"""Of one answer."""
SENT_LIFE = 14 * 86_400.0
"""Seconds for which an answer is kept for quotes."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    """An answer: what a quote may name it by, when it was begun, its words, and whom it answered."""

    keys: tuple[str, ...]
    at: float
    text: str
    asker: User


def sent_document_key(conversation: Conversation) -> str:
    """Return where it is kept what was answered in a conversation."""
    return SENT_PREFIX + conversation.key


def decode_sent(document: Document) -> tuple[SentMessage, ...]:
    """Return the answers that a document holds, oldest first: one line of JSON for each."""
    return tuple(decode(SentMessage, line) for line in document.body.split("\n")) if document.body else ()


def encode_sent(messages: Sequence[SentMessage]) -> str:
    """Return answers as the body of their document."""
    return "\n".join(map(encode, messages))


async def keep_sent(documents: DocumentRepository, place: Conversation, message: SentMessage) -> None:
    """Add an answer, once; durable on return. Raises StoreUnavailable."""

    def added(document: Document) -> tuple[None, str | None]:
        others = [
            each
            for each in decode_sent(document)
            if each.at > message.at - SENT_LIFE and not set(each.keys) & set(message.keys)
        ]
        return None, encode_sent((*others, message)[-MOST_SENT:])

    await update_document(documents, sent_document_key(place), added)


async def delete_sent(
    documents: DocumentRepository, document: Document, goes: Callable[[SentMessage], bool]
) -> int:
    """Remove answers from a document; returns how many. Raises StoreUnavailable."""

    def without(current: Document) -> tuple[int, str | None]:
        before = decode_sent(current)
        after = tuple(each for each in before if not goes(each))
        return len(before) - len(after), encode_sent(after) if len(after) < len(before) else None

    return await update_document(documents, document.key, without)
