"""Answers kept for quotes: those to a person, and what is past its time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.subject_index import iter_about
from parley.core.privacy.data_subject import DataSubject
from parley.core.state.readable_documents import iter_found
from parley.core.state.sent_messages import (
    SENT_LIFE,
    SENT_PREFIX,
    SentMessage,
    decode_sent,
    delete_sent,
)


async def list_sent(
    documents: DocumentRepository, subject: DataSubject
) -> AsyncIterator[tuple[str, SentMessage]]:
    """Yield what a person was answered, with the key of its conversation."""
    async for document in iter_about(documents, subject.accounts, SENT_PREFIX):
        for message in decode_sent(document):
            if subject.is_one(message.asker):
                yield document.key.removeprefix(SENT_PREFIX), message


async def erase_sent(documents: DocumentRepository, subject: DataSubject, private: Sequence[str] = ()) -> int:
    """Remove what a person was answered; returns how many answers. Raises StoreUnavailable.

    `private` are the keys of conversations that are theirs alone.
    """
    removed = 0
    async for document in iter_about(documents, (*subject.accounts, *private), SENT_PREFIX):
        gone = await delete_sent(documents, document, lambda each: subject.is_one(each.asker))
        # The name of a private conversation says whose it was.
        if not (await documents.get(document.key)).body:
            await documents.delete(document.key)
        removed += gone
    return removed


async def delete_old_sent(documents: DocumentRepository, now: float) -> int:
    """Remove what is too old to be quoted; returns how many answers. Raises StoreUnavailable."""
    removed, until = 0, now - SENT_LIFE

    def old(page: Sequence[Document]) -> list[Document]:
        kept = ((document, decode_sent(document)) for document in page)
        return [document for document, sent in kept if not sent or min(each.at for each in sent) <= until]

    async for document in iter_found(documents, SENT_PREFIX, old):
        kept = decode_sent(document)
        if all(each.at <= until for each in kept):
            await documents.delete(document.key)
            removed += len(kept)
        else:
            removed += await delete_sent(documents, document, lambda each: each.at <= until)
    return removed
