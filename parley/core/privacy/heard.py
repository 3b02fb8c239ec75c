"""What was heard in groups: a person's share of it, and what is past its time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from parley.core.inbound.hearing import most_characters
from parley.core.model.address import Conversation
from parley.core.model.earlier_messages import EarlierMessage
from parley.core.model.errors import DocumentConflict
from parley.core.model.options import ChannelOptions, ContextScope
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.ports.subject_index import iter_about
from parley.core.privacy.data_subject import DataSubject
from parley.core.state.heard_messages import HEARD_PREFIX, decode_heard, encode_heard, trim_heard
from parley.core.state.readable_documents import iter_found


async def list_heard(
    documents: DocumentRepository, subject: DataSubject
) -> AsyncIterator[tuple[str, EarlierMessage]]:
    """Yield what a person was heard saying, with the key of its conversation."""
    async for document in iter_about(documents, subject.accounts, HEARD_PREFIX):
        for message in decode_heard(document).messages:
            if subject.is_one(message.sender):
                yield document.key.removeprefix(HEARD_PREFIX), message


async def erase_heard(documents: DocumentRepository, subject: DataSubject) -> int:
    """Remove what a person was heard saying; returns how many messages. Raises StoreUnavailable."""
    removed = 0

    def without(document: Document) -> tuple[int, str | None]:
        before = decode_heard(document)
        after = before.without(subject.is_one)
        number = len(before.messages) - len(after.messages)
        return number, encode_heard(after) if number else None

    async for document in iter_about(documents, subject.accounts, HEARD_PREFIX):
        if without(document)[0]:
            removed += await update_document(documents, document.key, without)
    return removed


async def delete_old_heard(
    documents: DocumentRepository, channels: Mapping[str, ChannelOptions], now: float
) -> int:
    """Remove what is older than its chat brings, and all of chats that bring nothing.

    Returns how many records changed. Raises StoreUnavailable.
    """
    changed = 0

    def old(page: Sequence[Document]) -> list[Document]:
        cut = [replace(each, body=_still_brought(each, channels, now)) for each in page]
        return [after for before, after in zip(page, cut, strict=True) if not after.body or before != after]

    async for document in iter_found(documents, HEARD_PREFIX, old):
        if not document.body:
            await documents.delete(document.key)
        else:
            with suppress(DocumentConflict):  # somebody speaks: it is cut then, too
                await documents.set(document)
        changed += 1
    return changed


def _still_brought(document: Document, channels: Mapping[str, ChannelOptions], now: float) -> str:
    place = Conversation.parse(document.key.removeprefix(HEARD_PREFIX))
    options = channels.get(place.channel)
    wanted = None if options is None else options.at(place).earlier
    if wanted is None or wanted.scope is ContextScope.OFF:
        return ""
    return trim_heard(document.body, most_characters(wanted), now - wanted.age)
