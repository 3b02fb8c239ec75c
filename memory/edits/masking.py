"""Secrets in a whole document, masked before it is stored (pure)."""

from __future__ import annotations

from dataclasses import replace

from parley.core.model.sanitize import sanitize_text
from parley.memory.model.document import Fact, MemoryDocument, Summaries
from parley.memory.text.secrets.form import MaskedText
from parley.memory.text.secrets.masking import mask_secrets


def mask_document(document: MemoryDocument) -> MemoryDocument:
    """Return the document as it may be stored: without secrets."""
    return replace(
        document,
        facts=tuple(map(_masked, document.facts)),
        summaries=_masked_summaries(document.summaries),
    )


def count_secrets(document: MemoryDocument) -> int:
    """Return how many secrets a document has."""
    texts = [summary.text for _, summary in document.summaries.named()]
    texts += [text for fact in document.facts for text in (fact.content, fact.source_error, fact.subject)]
    return sum(_mask(text).count for text in texts)


def _masked(fact: Fact) -> Fact:
    return replace(
        fact,
        content=_mask(fact.content).text,
        source_error=_mask(fact.source_error).text,
        subject=_mask(fact.subject).text,
        keywords=tuple(word for word in fact.keywords if not _mask(word).count),
    )


def _masked_summaries(summaries: Summaries) -> Summaries:
    return summaries.changed(
        {name: replace(each, text=_mask(each.text).text) for name, each in summaries.named()}
    )


def _mask(text: str) -> MaskedText:
    """Return a text without secrets, also those that hidden characters in them would hide."""
    return mask_secrets(sanitize_text(text))
