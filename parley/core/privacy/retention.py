"""What is over and past its time: settled questions go, idle conversations lose their words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from parley.core.hitl.records import QUESTION_PREFIX
from parley.core.model.codec import decode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.subject_index import iter_before
from parley.core.privacy.conversations import without_words
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, conversation_document
from parley.core.state.readable_documents import iter_found


async def delete_settled_questions(documents: DocumentRepository, until: float) -> int:
    """Remove questions that were settled before `until` (Unix seconds); returns how many.

    Raises StoreUnavailable.
    """
    removed = 0
    async for document in iter_before(documents, QUESTION_PREFIX, until):
        await documents.delete(document.key)
        removed += 1
    return removed


async def redact_idle_conversations(documents: DocumentRepository, until: float) -> int:
    """Take everybody's words out of the records of conversations that were last answered before `until`
    (Unix seconds), unless something is asked there; returns how many. What finds their threads stays.

    Raises StoreUnavailable.
    """

    def idle(page: Sequence[Document]) -> list[Document]:
        return [faded for each in page if (faded := _faded(each, until)) is not None]

    number = 0
    async for document in iter_found(documents, CONVERSATION_PREFIX, idle):
        with suppress(DocumentConflict):  # it is idle no more
            await documents.set(document)
            number += 1
    return number


def _faded(document: Document, until: float) -> Document | None:
    record = decode(ConversationRecord, document.body)
    faded = without_words(record)
    if record.last_at >= until or record.question is not None or faded == record:
        return None
    return conversation_document(document, faded)
