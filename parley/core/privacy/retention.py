"""What is over and past its time: settled questions go, idle conversations lose their words."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from parley.core.hitl import records
from parley.core.hitl.records import QuestionRecord
from parley.core.model.codec import decode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.privacy.conversations import without_words
from parley.core.state.conversations import CONVERSATION_PREFIX, ConversationRecord, conversation_document
from parley.core.state.feedback import FEEDBACK_PREFIX, FeedbackRecord

_PAGE = 200
_PAUSE = 0.02
"""Seconds between two pages: there may be a hundred thousand conversations."""


async def delete_settled_questions(documents: DocumentRepository, until: float) -> int:
    """Remove questions that were settled before `until` (Unix seconds); returns how many.

    Raises StoreUnavailable.
    """

    def old(page: Sequence[Document]) -> list[Document]:
        return [each for each in page if _settled_at(decode(QuestionRecord, each.body)) < until]

    removed = 0
    async for document in _found(documents, records.QUESTION_PREFIX, old):
        await documents.delete(document.key)
        removed += 1
    return removed


async def delete_old_feedback(documents: DocumentRepository, until: float) -> int:
    """Remove what people said of answers before `until` (Unix seconds); returns how much.

    Raises StoreUnavailable.
    """

    def old(page: Sequence[Document]) -> list[Document]:
        return [each for each in page if decode(FeedbackRecord, each.body).at < until]

    removed = 0
    async for document in _found(documents, FEEDBACK_PREFIX, old):
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
    async for document in _found(documents, CONVERSATION_PREFIX, idle):
        with suppress(DocumentConflict):  # it is idle no more
            await documents.set(document)
            number += 1
    return number


async def _found(
    documents: DocumentRepository, prefix: str, look: Callable[[Sequence[Document]], list[Document]]
) -> AsyncIterator[Document]:
    """Yield what a look at each page finds; many records are read beside the loop."""
    after = ""
    while page := await documents.list(prefix, _PAGE, after):
        for document in await asyncio.to_thread(look, page):
            yield document
        after = page[-1].key
        await asyncio.sleep(_PAUSE)


def _settled_at(record: QuestionRecord) -> float:
    if record.open:
        return math.inf
    return record.asked_at if record.decision is None else record.decision.at


def _faded(document: Document, until: float) -> Document | None:
    record = decode(ConversationRecord, document.body)
    faded = without_words(record)
    if record.last_at >= until or record.question is not None or faded == record:
        return None
    return conversation_document(document, faded)
