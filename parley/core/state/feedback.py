"""What people think of answers: thumbs up or down. Of each person's choices about a turn the last counts."""

from __future__ import annotations

from dataclasses import dataclass

from parley.core.model.address import account_key
from parley.core.model.codec import decode, encode
from parley.core.model.questions import FEEDBACK_QUESTION, Click, FeedbackChoice
from parley.core.ports.journal import Document, DocumentRepository, update_document

FEEDBACK_PREFIX = "feedback/"
MOST_TURN = 200
"""Characters of a turn's id."""


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """Who thinks what of which turn, since when (Unix seconds)."""

    account: str
    turn: str
    conversation: str
    choice: FeedbackChoice
    at: float


def feedback_prefix(account: str) -> str:
    """Return how the keys of all that one account thinks begin."""
    return f"{FEEDBACK_PREFIX}{account}/"


def feedback_of(click: Click, at: float) -> FeedbackRecord | None:
    """Return what a press says of a turn; None where it says nothing of any."""
    turn = click.question.removeprefix(FEEDBACK_QUESTION)
    if not 0 < len(turn) <= MOST_TURN or click.option not in tuple(FeedbackChoice):
        return None
    account, choice = account_key(click.sender), FeedbackChoice(click.option)
    return FeedbackRecord(account, turn, click.conversation.key, choice, at)


async def keep_feedback(documents: DocumentRepository, record: FeedbackRecord) -> bool:
    """Keep it in place of an earlier choice; tells whether it is another one. Raises StoreUnavailable."""

    def change(document: Document) -> tuple[bool, str | None]:
        before = decode(FeedbackRecord, document.body) if document.body else None
        if before is not None and (before.choice is record.choice or before.at > record.at):
            return False, None
        return True, encode(record)

    return await update_document(documents, f"{feedback_prefix(record.account)}{record.turn}", change)
