"""Categories and topics of an operator's own: learned, told, imported and edited; others stay readable."""

from __future__ import annotations

import json

import pytest

from parley.core.ports.memory.admin import FactChange
from parley.core.ports.memory.tools import ToolRefused
from parley.memory.controls.import_facts import import_memories
from parley.memory.controls.import_shapes import read_import
from parley.memory.edits.operations import add, edit
from parley.memory.inject.block import format_memory_for_injection
from parley.memory.learning.apply_diff import DiffContext, apply_diff
from parley.memory.learning.extraction.diff import Diff, ProposedFact, SummaryChange
from parley.memory.learning.extraction.response_schema import update_schema
from parley.memory.model.document import Category, Fact, MemoryDocument, StoredMemory, Summaries, Summary
from parley.memory.model.vocabulary import CATEGORIES, TOPICS, MemoryVocabulary, with_descriptions
from parley.memory.options import MemoryOptions
from parley.memory.storage.document_format import document_json, read_document
from parley.memory.tools.arguments import check_arguments
from tests.kit.samples.memories import at

OWN = MemoryVocabulary(
    with_descriptions(
        {"person": "who they are", "project": "what they work on"}, CATEGORIES, ("correction",)
    ),
    {"allergies": "what they cannot eat", "recentMonths": ""},
)
OPTIONS = MemoryOptions(vocabulary=OWN)
NOW = DiffContext(now=at(1), turns=(), generation=0)


def learned(*facts: ProposedFact, summaries: tuple[SummaryChange, ...] = ()) -> MemoryDocument:
    return apply_diff(StoredMemory(), Diff(new_facts=facts, summaries=summaries), NOW, OPTIONS).document


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        ("project", "project"), ("Project", "project"), ("PERSON", "person"), ("context", "person"),
        ("preference", "person"), ("identity", "person"), ("nonsense", "person"), ("", "person"),
        ("correction", "correction"),
    ],
)  # fmt: skip
def test_a_fact_is_learned_in_a_category_that_there_is(named: str, kept: str) -> None:
    (fact,) = learned(ProposedFact("Writes a compiler in Rust", named, 0.9)).facts
    assert fact.category == kept


def test_what_the_reference_system_calls_otherwise_is_found_among_the_usual_ones() -> None:
    usual = MemoryVocabulary()
    assert [usual.category(name) for name in ("identity", "decision", "constraint", "cognitive")] == [
        "context", "context", "preference", "behavior",
    ]  # fmt: skip
    assert (
        MemoryVocabulary({"identity": "who they are", "other": "the rest"}).category("Identity") == "identity"
    )


def test_summaries_are_learned_of_the_topics_that_there_are_and_of_no_others() -> None:
    changes = (SummaryChange("allergies", "Nuts."), SummaryChange("workContext", "Nurse."))
    assert [pair for pair in learned(summaries=changes).summaries.named() if pair[1].text] == [
        ("allergies", Summary("Nuts.", at(1)))
    ]


def test_a_model_is_asked_for_these_categories_and_topics_alone() -> None:
    schema = str(update_schema(OWN))
    assert "'enum': ['person', 'project', 'correction']" in schema
    assert "'allergies'" in schema
    assert not [name for name in ("workContext", "topOfMind", "knowledge") if name in schema]


def test_what_is_no_longer_named_stays_is_told_and_written_again() -> None:
    facts = (Fact("fact_00000001", "Plays the viola", "hobby", 0.9, at(0)),)
    before = MemoryDocument(Summaries().changed({"allergies": Summary("Nuts.", at(0))}), facts, at(0))
    written = read_document(document_json(before)).document
    assert written == before
    assert format_memory_for_injection(written) == (
        "<memory>\nUser Context:\n- allergies: Nuts.\n\nFacts:\n- [hobby | 0.90] Plays the viola\n</memory>"
    )


def test_a_tool_takes_these_categories_and_refuses_others_by_name() -> None:
    assert check_arguments("memory_add", {"content": "x", "category": "project"}, tuple(OWN.categories))
    with pytest.raises(ToolRefused, match="category is one of: person, project, correction"):
        check_arguments("memory_add", {"content": "x", "category": "context"}, tuple(OWN.categories))


def test_an_edit_keeps_a_category_that_is_no_longer_named() -> None:
    stored = StoredMemory(MemoryDocument(facts=(Fact("a", "Plays the viola", "hobby"),)))
    change = FactChange("Plays the cello", "hobby")
    (kept,) = edit(stored, "a", change, at(1), OWN).stored.document.facts
    (moved,) = edit(stored, "a", FactChange(category="project"), at(1), OWN).stored.document.facts
    assert (kept.category, moved.category) == ("hobby", "project")


def test_what_is_added_by_hand_has_a_category_that_there_is() -> None:
    fact = add(StoredMemory(), "Plays the viola", at(1), 10, vocabulary=OWN).fact
    assert fact is not None
    assert fact.category == "person"


def test_an_import_brings_categories_that_there_are_and_no_others() -> None:
    text = (
        '[{"memory": "Plays the viola", "metadata": {"category": "project"}},'
        ' {"memory": "Has a boat", "metadata": {"category": "<b>ignore all</b>"}},'
        ' {"memory": "Lives in Rome", "metadata": {"category": "identity"}}]'
    )
    after, _ = import_memories(StoredMemory(), read_import(text), at(1), OPTIONS)
    assert [fact.category for fact in after.document.facts] == ["project", "person", "person"]
    usual, _ = import_memories(StoredMemory(), read_import(text), at(1), MemoryOptions())
    assert [fact.category for fact in usual.document.facts] == [Category.CONTEXT] * 3


def test_a_file_has_no_more_topics_than_can_be_told() -> None:
    names = {f"topic{number}": {"summary": "x"} for number in range(500)} | {"a b": {"summary": "x"}}
    text = json.dumps({"user": names})
    assert len(read_document(text).document.summaries.others) == 40


def test_all_the_usual_topics_are_those_of_the_schema() -> None:
    assert [name for name, _ in Summaries().named()] == list(TOPICS)
