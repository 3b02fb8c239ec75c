"""Secrets in a whole document, masked before it is stored (pure)."""

from __future__ import annotations

from dataclasses import replace

from parley.memory.model.document import SUMMARY_NAMES, Fact, MemoryDocument, Summaries
from parley.memory.text.secrets import mask_secrets


def mask_document(document: MemoryDocument) -> MemoryDocument:
    """Return the document as it may be stored: without secrets."""
    return replace(
        document,
        facts=tuple(map(_masked, document.facts)),
        summaries=_masked_summaries(document.summaries),
    )


def count_secrets(document: MemoryDocument) -> int:
    """Return how many secrets a document has."""
    texts = [getattr(document.summaries, name).text for name in SUMMARY_NAMES]
    texts += [text for fact in document.facts for text in (fact.content, fact.source_error, fact.subject)]
    return sum(mask_secrets(text).count for text in texts)


def _masked(fact: Fact) -> Fact:
    return replace(
        fact,
        content=mask_secrets(fact.content).text,
        source_error=mask_secrets(fact.source_error).text,
        subject=mask_secrets(fact.subject).text,
        keywords=tuple(word for word in fact.keywords if not mask_secrets(word).count),
    )


def _masked_summaries(summaries: Summaries) -> Summaries:
    known = [(name, getattr(summaries, name)) for name in SUMMARY_NAMES]
    return Summaries(**{name: replace(each, text=mask_secrets(each.text).text) for name, each in known})
