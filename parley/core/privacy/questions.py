"""Questions of a person's turns, what they decided for others, and their lines in the audit record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from contextlib import suppress
from dataclasses import replace

from parley.core.hitl import audit
from parley.core.hitl.audit import AuditEntry
from parley.core.hitl.records import QUESTION_PREFIX, QuestionRecord, decode_question, question_document
from parley.core.model.address import User
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Document, DocumentRepository
from parley.core.ports.subject_index import iter_about
from parley.core.privacy.data_subject import DataSubject
from parley.core.privacy.sources import AuditOnErase

ERASED_ACCOUNT = "erased"
"""What stands in the place of a name that is gone."""


async def list_questions(
    documents: DocumentRepository, subject: DataSubject
) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    """Yield the questions of their own turns, open or not."""
    async for record, document in _questions(documents, subject):
        if subject.is_one(record.asker):
            yield record, document


async def list_decisions(
    documents: DocumentRepository, subject: DataSubject
) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    """Others' questions that they decided."""
    async for record, document in _questions(documents, subject):
        if not subject.is_one(record.asker) and _decided(record, subject):
            yield record, document


async def anonymise_decisions(documents: DocumentRepository, subject: DataSubject) -> int:
    """Take their name and words out of decisions on others' questions; returns how many."""
    changed = 0
    async for record, document in list_decisions(documents, subject):
        decision = record.decision
        if decision is None or decision.by is None:
            continue
        nobody = replace(decision, by=User(decision.by.channel, ERASED_ACCOUNT), text="", source="")
        await documents.set(question_document(document, replace(record, decision=nobody)))
        changed += 1
    return changed


async def list_audit_lines(
    documents: DocumentRepository, subject: DataSubject, private: Collection[str]
) -> AsyncIterator[tuple[AuditEntry, Document]]:
    """Yield what the audit record says of them, or of the conversations that are theirs alone (`private`)."""
    async for entry, document in audit.list_entries_about(documents, (*subject.accounts, *private)):
        if entry.who in subject.accounts or entry.conversation in private:
            yield entry, document


async def apply_audit_policy(
    documents: DocumentRepository, subject: DataSubject, private: Collection[str], policy: AuditOnErase
) -> int:
    """Do with these lines what the policy says; returns how many were changed or removed."""
    changed = 0
    if policy is AuditOnErase.KEEP:
        return changed
    async for entry, document in list_audit_lines(documents, subject, private):
        if policy is AuditOnErase.REMOVE:
            await documents.delete(document.key)
        else:
            with suppress(DocumentConflict):  # removed meanwhile, as too old
                await documents.set(audit.replace_entry(_nameless(entry, subject, private), document))
        changed += 1
    return changed


def _nameless(entry: AuditEntry, subject: DataSubject, private: Collection[str]) -> AuditEntry:
    if entry.who in subject.accounts:
        entry = replace(entry, who=ERASED_ACCOUNT, prompt="", arguments="", text="")
    if entry.conversation in private:
        entry = replace(entry, conversation=ERASED_ACCOUNT, prompt="", arguments="")
    return entry


def _decided(record: QuestionRecord, subject: DataSubject) -> bool:
    decision = record.decision
    return decision is not None and decision.by is not None and subject.is_one(decision.by)


async def _questions(
    documents: DocumentRepository, subject: DataSubject
) -> AsyncIterator[tuple[QuestionRecord, Document]]:
    async for document in iter_about(documents, subject.accounts, QUESTION_PREFIX):
        record = decode_question(document)
        if record is not None:
            yield record, document
