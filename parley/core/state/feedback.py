"""What people think of answers, and which answers they may rate. Of each person's choices the last counts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from dataclasses import replace
from urllib.parse import quote

from parley.core.model.address import account_key
from parley.core.model.codec import decode, encode
from parley.core.model.feedback import AnswerWithButtons, Feedback, FeedbackChoice, FeedbackPrompt
from parley.core.ports.feedback import NEWEST_FEEDBACK, FeedbackIndex
from parley.core.ports.journal import Document, DocumentRepository, iter_documents, update_document
from parley.core.ports.subject_index import iter_about, iter_before
from parley.core.state.readable_documents import decode_readable, iter_readable

FEEDBACK_PREFIX = "feedback/"
ANSWER_PREFIX = "rateable/"
PROMPT_PREFIX = "feedback-prompt/"
_KINDS: tuple[tuple[str, type[Feedback | AnswerWithButtons | FeedbackPrompt]], ...] = (
    (ANSWER_PREFIX, AnswerWithButtons),
    (FEEDBACK_PREFIX, Feedback),
    (PROMPT_PREFIX, FeedbackPrompt),
)
"""Answers first: once an answer is gone, nothing is kept any more of what people think of it."""
_PAGE = 500


def feedback_prefix(account: str) -> str:
    """Return how the keys of all that one account thinks begin."""
    return f"{FEEDBACK_PREFIX}{account}/"


def feedback_key(account: str, turn: str) -> str:
    """Return where it is kept what an account thinks of a turn's answer."""
    return f"{feedback_prefix(account)}{turn}"


def answer_key(turn: str) -> str:
    """Return where it is kept that a turn's answer may be rated."""
    return f"{ANSWER_PREFIX}{turn}"


def prompt_key(channel: str, message: str) -> str:
    """Return where it is kept what a message of ours asked about."""
    return f"{PROMPT_PREFIX}{channel}:{quote(message, safe='')}"


def decode_feedback(document: Document) -> Feedback | None:
    """Return what a document holds; None for one that is not there."""
    return decode(Feedback, document.body) if document.body else None


def replace_feedback(before: Feedback | None, now: Feedback) -> Feedback | None:
    """Return what counts from now on; None where it is what counted before, or is older.

    The same thumb once more keeps the words that came with it.
    """
    if before is None:
        return replace(now, first_at=now.at)
    same = before.choice is now.choice and now.comment in ("", before.comment)
    return None if same or before.at > now.at else replace(now, first_at=before.first_at or before.at)


async def note_answer(documents: DocumentRepository, turn: str, answer: AnswerWithButtons) -> None:
    """Note, once, that an answer may be rated. Raises StoreUnavailable."""

    def added(document: Document) -> tuple[None, str | None]:
        return None, None if document.body else encode(answer)

    await update_document(documents, answer_key(turn), added)


async def load_answer(documents: DocumentRepository, turn: str) -> tuple[AnswerWithButtons | None, Document]:
    """Return the answer of a turn, where it may be rated, and its document. Raises StoreUnavailable."""
    document = await documents.get(answer_key(turn))
    return decode(AnswerWithButtons, document.body) if document.body else None, document


async def is_kept(documents: DocumentRepository, feedback: Feedback) -> bool:
    """Tell whether anything is kept of what somebody thinks of an answer. Raises StoreUnavailable."""
    return bool((await documents.get(feedback_key(feedback.account, feedback.turn))).body)


async def is_disliked(documents: DocumentRepository, account: str, turn: str) -> bool:
    """Tell whether somebody thinks badly of an answer, and has not said why. Raises StoreUnavailable."""
    found = decode_feedback(await documents.get(feedback_key(account, turn)))
    return found is not None and found.choice is FeedbackChoice.DOWN and not found.comment


async def is_prompt(documents: DocumentRepository, channel: str, message: str) -> bool:
    """Tell whether a message of ours asked what was wrong with an answer. Raises StoreUnavailable."""
    return bool((await documents.get(prompt_key(channel, message))).body)


async def feedback_of_accounts(
    documents: DocumentRepository, accounts: Collection[str]
) -> AsyncIterator[Document]:
    """Yield what is kept of what people think, and of the answers that they were given to rate.

    Raises StoreUnavailable.
    """
    for account in accounts:
        async for document in iter_documents(documents, feedback_prefix(account)):
            yield document
    async for document in iter_about(documents, tuple(accounts), ANSWER_PREFIX):
        if decode(AnswerWithButtons, document.body).asker in accounts:
            yield document
    async for document in iter_about(documents, tuple(accounts), PROMPT_PREFIX):
        if account_key(decode(FeedbackPrompt, document.body).user) in accounts:
            yield document


async def delete_feedback_in(documents: DocumentRepository, conversation: str) -> None:
    """Remove all of it that is about a conversation, by its key. Raises StoreUnavailable."""
    for prefix, kind in _KINDS:
        async for document in iter_about(documents, (conversation,), prefix):
            if decode(kind, document.body).conversation == conversation:
                await documents.delete(document.key)


async def delete_feedback_before(documents: DocumentRepository, until: float) -> int:
    """Remove all of it that is older than `until` (Unix seconds); returns how much people had said.

    Raises StoreUnavailable.
    """
    removed = 0
    for prefix, kind in _KINDS:
        async for document in iter_before(documents, prefix, until):
            await documents.delete(document.key)
            removed += kind is Feedback
    return removed


async def list_feedback(
    documents: DocumentRepository, since: float = 0.0, most: int = 0
) -> tuple[Feedback, ...]:
    """Return what people said of answers since a time (Unix seconds), newest first; 0 for all that there is.

    Raises StoreUnavailable.
    """
    found = list[Feedback]()
    async for document in iter_feedback(documents, since=since, page=most or _PAGE):
        said = decode_readable(Feedback, document)
        if said is not None:
            found.append(said)
        if len(found) == most:
            break
    return tuple(found)


async def iter_feedback(
    documents: DocumentRepository,
    before: tuple[float, str] = NEWEST_FEEDBACK,
    since: float = 0.0,
    page: int = _PAGE,
) -> AsyncIterator[Document]:
    """Yield the feedback since a time and before a time and key, newest first; `page` is read at once.

    Where the documents have no index of it, all feedback is read. Raises StoreUnavailable.
    """
    if not isinstance(documents, FeedbackIndex):
        for document in await _sort_feedback(documents, before, since):
            yield document
        return
    while found := await documents.feedback_before(before, since, page):
        for _, document in found:
            yield document
        if len(found) < page:
            return
        at, last = found[-1]
        before = (at, last.key)


async def _sort_feedback(
    documents: DocumentRepository, before: tuple[float, str], since: float
) -> list[Document]:
    found = [
        (said.at, document.key, document)
        async for said, document in iter_readable(documents, Feedback, FEEDBACK_PREFIX)
    ]
    found.sort(key=lambda each: each[:2], reverse=True)
    return [document for at, key, document in found if at >= since and (at, key) < before]
