"""Questions of a person's turns, what they decided for others, and their lines in the audit record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Container
from contextlib import suppress
from dataclasses import replace

from parley.core import audit
from parley.core.asking import PREFIX, QuestionRecord, read, written
from parley.core.audit import AuditEntry
from parley.core.erasing.sources import AuditOnErase
from parley.core.erasing.subject import Subject
from parley.core.errors import DocumentConflict
from parley.core.journal import Document, Documents, every
from parley.core.types import User

ERASED = "erased"
"""What stands in the place of a name that is gone."""


async def questions_of(
    documents: Documents, subject: Subject
) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    """The questions of their own turns, open or not."""
    async for record, document in _questions(documents):
        if subject.is_one(record.asker):
            yield record, document


async def decided_by(
    documents: Documents, subject: Subject
) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    """Others' questions that they decided."""
    async for record, document in _questions(documents):
        if not subject.is_one(record.asker) and _decided(record, subject):
            yield record, document


async def unsign(documents: Documents, subject: Subject) -> int:
    """Take their name and words out of decisions on others' questions; returns how many."""
    changed = 0
    async for record, document in decided_by(documents, subject):
        decision = record.decision
        if decision is None or decision.by is None:
            continue
        nobody = replace(decision, by=User(decision.by.channel, ERASED), text="", source="")
        await documents.set(written(document, replace(record, decision=nobody)))
        changed += 1
    return changed


async def lines_of(
    documents: Documents, subject: Subject, private: Container[str]
) -> AsyncIterator[tuple[AuditEntry, Document]]:
    """What the audit record says of them, or of the conversations that are theirs alone (`private`)."""
    async for entry, document in audit.all_entries(documents):
        if entry.who in subject.accounts or entry.conversation in private:
            yield entry, document


async def settle_audit(
    documents: Documents, subject: Subject, private: Container[str], policy: AuditOnErase
) -> int:
    """Do with these lines what the policy says; returns how many were changed or removed."""
    changed = 0
    if policy is AuditOnErase.KEEP:
        return changed
    async for entry, document in lines_of(documents, subject, private):
        if policy is AuditOnErase.REMOVE:
            await documents.delete(document.key)
        else:
            with suppress(DocumentConflict):  # removed meanwhile, as too old
                await documents.set(audit.rewritten(_nameless(entry, subject, private), document))
        changed += 1
    return changed


def _nameless(entry: AuditEntry, subject: Subject, private: Container[str]) -> AuditEntry:
    if entry.who in subject.accounts:
        entry = replace(entry, who=ERASED, prompt="", arguments="", text="")
    if entry.conversation in private:
        entry = replace(entry, conversation=ERASED, prompt="", arguments="")
    return entry


def _decided(record: QuestionRecord, subject: Subject) -> bool:
    decision = record.decision
    return decision is not None and decision.by is not None and subject.is_one(decision.by)


async def _questions(documents: Documents) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    async for document in every(documents, PREFIX):
        record = read(document)
        if record is not None:
            yield record, document
