"""Imported memories become facts of a person: screened, masked, and each once (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parley.core.ports.memory.controls import ImportPreview, ImportResult
from parley.core.ports.memory.port import NO_ORIGIN
from parley.memory.controls.import_shapes import ImportedMemories, is_shortened
from parley.memory.edits.eviction import evict
from parley.memory.edits.fact_merge import can_merge, merge_facts
from parley.memory.edits.fact_set import FactSet
from parley.memory.edits.history import replace_document
from parley.memory.edits.masking import count_secrets, mask_document
from parley.memory.edits.normalise import MOST_OF_FACT, clean_keywords, one_line, settle_category
from parley.memory.edits.similarity import Similarity
from parley.memory.edits.summaries import drop_sentences, merge_summaries
from parley.memory.edits.tombstones import is_forgotten
from parley.memory.learning.orders import orders_assistant, quote
from parley.memory.model.document import Category, Fact, MemoryDocument, StoredMemory
from parley.memory.model.vocabulary import MemoryVocabulary
from parley.memory.options import MemoryOptions

SOURCE = "import"
_SHOWN = 10
_MOST_OF_SUBJECT = 80


def import_memories(
    stored: StoredMemory, imported: ImportedMemories, now: str, options: MemoryOptions
) -> tuple[StoredMemory, ImportResult]:
    """Return the memory with what was imported, and what became of it; `undo` takes it back.

    What the person forgot here after it was said stays forgotten; orders to the assistant become quotations.
    """
    draft = FactSet(stored.document.facts, stored.notes.last_id)
    before = {fact.id for fact in stored.document.facts}
    known = left_out = 0
    masked = mask_document(MemoryDocument(imported.summaries, imported.facts))
    summaries = masked.summaries.changed(
        {name: replace(each, text=_without_orders(each.text)) for name, each in masked.summaries.named()}
    )
    for fact in masked.facts:
        if is_forgotten(stored.notes.tombstones, fact.content, fact.last_said):
            left_out += 1
        else:
            known += not _take(draft, _as_fact(fact, now, options.vocabulary))
    document = replace(
        stored.document,
        facts=evict(draft.facts, options.max_facts),
        summaries=merge_summaries(stored.document.summaries, summaries),
    )
    changed = replace_document(stored, document, now)
    result = ImportResult(
        added=sum(fact.id not in before for fact in document.facts),
        known=known,
        left_out=left_out + imported.left_out,
        shortened=sum(is_shortened(fact.content) for fact in imported.facts),
        secrets=count_secrets(MemoryDocument(imported.summaries, imported.facts)),
    )
    return replace(changed, notes=replace(changed.notes, last_id=draft.last_id)), result


def preview_import(
    stored: StoredMemory, imported: ImportedMemories, now: str, options: MemoryOptions
) -> ImportPreview:
    """Return what `import_memories` would do."""
    changed, result = import_memories(stored, imported, now, options)
    before = {fact.id for fact in stored.document.facts}
    new = [fact.content for fact in changed.document.facts if fact.id not in before]
    return ImportPreview(result, tuple(new[:_SHOWN]))


def _as_fact(fact: Fact, now: str, vocabulary: MemoryVocabulary) -> Fact:
    content = one_line(fact.content, MOST_OF_FACT)
    category = settle_category(content, fact.category, vocabulary)
    if category != Category.INSTRUCTION and orders_assistant(content):
        content = one_line(quote(content), MOST_OF_FACT)
    return replace(
        fact,
        content=content,
        category=category,
        subject=_unless_order(one_line(fact.subject, _MOST_OF_SUBJECT)),
        source_error=_unless_order(one_line(fact.source_error, MOST_OF_FACT)),
        keywords=tuple(word for word in clean_keywords(fact.keywords) if not orders_assistant(word)),
        origin=NO_ORIGIN,
        also_said=(),
        source=SOURCE,
        created_at=fact.created_at or now,
        shared=False,
        accounts=(),
    )


def _unless_order(text: str) -> str:
    """Return a text beside a fact; nothing where it orders the assistant about."""
    return "" if orders_assistant(f"{text}: ") or orders_assistant(text) else text


def _without_orders(text: str) -> str:
    return drop_sentences(text, orders_assistant)


def _take(draft: FactSet, fact: Fact) -> bool:
    """Add a fact, or confirm the one that says the same; return whether it is new."""
    known = draft.find_same(fact.content) or _similar(draft.find_similar(fact.content), fact)
    if known is None:
        draft.add(fact)
        return True
    draft.replace(replace(merge_facts(known, fact), source=known.source))
    return False


def _similar(found: Iterable[tuple[Fact, Similarity]], fact: Fact) -> Fact | None:
    return next((old for old, verdict in found if verdict is Similarity.DUP and can_merge(old, fact)), None)
