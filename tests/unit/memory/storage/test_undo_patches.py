"""Undo patches: they restore earlier versions, also after edits by hand."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from parley.memory.model.document import (
    MemoryDocument,
)
from parley.memory.storage.undo_patches import apply_patch, make_patch
from tests.kit.samples.memories import fact, texts
from tests.unit.memory.storage.documents import any_document, unhurried


@unhurried
@given(any_document, any_document)
def test_a_patch_leads_back_exactly(newer, older):
    mixed = replace(
        newer, facts=tuple({each.id: each for each in (*older.facts[::2], *newer.facts)}.values())
    )
    for after, before in ((newer, older), (mixed, older), (older, mixed)):
        assert apply_patch(after, make_patch(after, before)) == before


def test_a_patch_takes_back_its_own_change_of_a_memory_edited_by_hand_since():
    before = MemoryDocument(facts=(fact(1, "Likes tea"), fact(2, "Lives in Rome")))
    after = MemoryDocument(facts=(fact(1, "Likes tea"), fact(3, "Lives in Bern")))
    edited = replace(after, facts=(fact(9, "Added by hand"), *after.facts))
    assert texts(apply_patch(edited, make_patch(after, before)).facts) == [
        "Added by hand",
        "Lives in Rome",
        "Likes tea",
    ]
