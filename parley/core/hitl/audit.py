"""Who was asked what, who decided, what became of it, and what commands ran: for whoever answers for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from parley.core.hitl.records import QuestionRecord
from parley.core.model.address import account_key
from parley.core.model.codec import encode
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.subject_index import iter_about
from parley.core.state.readable_documents import decode_readable, iter_readable

AUDIT_PREFIX = "audit/"


class AuditKind(StrEnum):
    """What happened."""

    ASKED = "asked"
    DECIDED = "decided"
    EXPIRED = "expired"
    ENDED = "ended"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line of the record. `who` is an account, or empty for the clock and the agent."""

    at: float
    kind: AuditKind
    question: str
    conversation: str
    who: str
    action: str = ""
    prompt: str = ""
    arguments: str = ""
    option: str = ""
    text: str = ""


def asked_document(record: QuestionRecord) -> Document:
    """That a question was asked, and on whose behalf."""
    question = record.question
    return _document(
        AuditEntry(
            record.asked_at,
            AuditKind.ASKED,
            question.id,
            record.conversation,
            account_key(record.asker),
            question.action,
            question.prompt,
            question.arguments,
        )
    )


def decided_document(record: QuestionRecord) -> Document:
    """Return what was decided, and by whom. Raises ValueError for an open question."""
    decision = record.decision
    if decision is None:
        raise ValueError("the question is open")
    kind = AuditKind.DECIDED if decision.by is not None else AuditKind.EXPIRED
    who = account_key(decision.by) if decision.by is not None else ""
    question = record.question
    return _document(
        AuditEntry(
            decision.at,
            kind,
            question.id,
            record.conversation,
            who,
            question.action,
            option=decision.option,
            text=decision.text,
        )
    )


def ended_document(turn: str, conversation: str, outcome: str, at: float) -> Document:
    """Return how the run went on that a turn's decisions resumed."""
    return _document(AuditEntry(at, AuditKind.ENDED, turn, conversation, "", text=outcome))


def command_document(
    at: float, run: str, who: str, conversation: str, command: str, outcome: str
) -> Document:
    """Return that an agent's command was run for somebody, and how it ended; `run` tells it from others."""
    return _document(AuditEntry(at, AuditKind.COMMAND, run, conversation, who, prompt=command, text=outcome))


async def list_entries(documents: DocumentRepository, since: float = 0.0) -> AsyncIterator[AuditEntry]:
    """Yield the record from `since` (Unix seconds) on, oldest first. Raises StoreUnavailable."""
    async for entry, _ in iter_readable(
        documents, AuditEntry, AUDIT_PREFIX, f"{AUDIT_PREFIX}{_stamp(since)}"
    ):
        yield entry


async def list_entries_about(
    documents: DocumentRepository, names: Sequence[str]
) -> AsyncIterator[tuple[AuditEntry, Document]]:
    """Yield the lines about accounts or conversations, and perhaps others, with documents, oldest first.

    Raises StoreUnavailable.
    """
    async for document in iter_about(documents, names, AUDIT_PREFIX):
        entry = decode_readable(AuditEntry, document)
        if entry is not None:
            yield entry, document


def replace_entry(entry: AuditEntry, document: Document) -> Document:
    """Return the document with another entry, to be set under the version it was read at."""
    return replace(document, body=encode(entry))


async def delete_before(documents: DocumentRepository, until: float) -> int:
    """Remove what is older than `until`; returns how much. Raises StoreUnavailable."""
    removed = 0
    for document in await documents.list(AUDIT_PREFIX, 500):
        if document.key >= f"{AUDIT_PREFIX}{_stamp(until)}":
            break
        await documents.delete(document.key)
        removed += 1
    return removed


def _stamp(at: float) -> str:
    return f"{round(at * 1000):015d}"


def _document(entry: AuditEntry) -> Document:
    return Document(f"{AUDIT_PREFIX}{_stamp(entry.at)}/{entry.kind}/{entry.question}", encode(entry), 0)
