"""The JSON of a memory: exactly the schema when written, tolerant when read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.model.document import (
    Category,
    MemoryDocument,
)
from parley.memory.storage.document_format import document_json, read_document
from tests.kit.samples.memories import at, fact, texts
from tests.unit.memory.storage.documents import any_document, plain_text, unhurried

EMPTY_SUMMARY = {"summary": "", "updatedAt": ""}


EMPTY = {
    "version": "1.0",
    "lastUpdated": "",
    "user": dict.fromkeys(("workContext", "personalContext", "topOfMind"), EMPTY_SUMMARY),
    "history": dict.fromkeys(("recentMonths", "earlierContext", "longTermBackground"), EMPTY_SUMMARY),
    "facts": [],
}


def read(value):
    return read_document(json.dumps(value))


def one(**entry):
    (found,) = read({"facts": [{"content": "Likes tea", **entry}]}).document.facts
    return found


def test_an_empty_memory_has_empty_texts_everywhere():
    assert json.loads(document_json(MemoryDocument())) == EMPTY


def test_a_fact_has_the_keys_of_the_schema_and_no_others():
    written = json.loads(document_json(MemoryDocument(facts=(fact(1, "Likes tea"),))))
    assert written["facts"] == [
        {
            "id": "fact_00000001",
            "content": "Likes tea",
            "category": "context",
            "confidence": 0.8,
            "createdAt": at(0),
            "source": "thread",
        }
    ]


def test_further_keys_are_written_where_they_say_something():
    full = fact(
        1,
        "Likes tea",
        source_error="coffee",
        shared=True,
        subject="Kim",
        keywords=("chai",),
        confirmed_at=at(1),
    )
    (written,) = json.loads(document_json(MemoryDocument(facts=(full,))))["facts"]
    assert written["sourceError"] == "coffee"
    assert (written["shared"], written["subject"], written["keywords"]) == (True, "Kim", ["chai"])
    assert written["lastConfirmedAt"] == at(1)


def test_people_can_read_the_file():
    text = document_json(MemoryDocument(facts=(fact(1, "喜欢喝茶 & <tea>"),)))
    assert "喜欢喝茶 & <tea>" in text
    assert text.count("\n") > 10


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"user": null, "history": null, "facts": null}'])
def test_nothing_is_an_empty_memory(text):
    assert read_document(text).document == MemoryDocument()
    assert read_document(text).rejected == ()


@pytest.mark.parametrize("text", ["{", "[]", "null", "3", '{"facts": [', "[" * 100_000])
def test_what_is_no_memory_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - any text of it
        read_document(text)


def test_null_sections_and_summaries_are_empty():
    value = {"user": {"workContext": None, "personalContext": {"summary": None}}, "history": None}
    assert read(value).document == MemoryDocument()
    assert read(value).rejected == ()


@pytest.mark.parametrize(
    "entry", [None, 3, "text", [], {}, {"content": None}, {"content": ["a"]}, {"content": " "}]
)
def test_a_bad_entry_is_handed_back_and_the_others_are_kept(entry):
    found = read({"facts": [entry, {"content": "Likes tea"}]})
    assert texts(found.document.facts) == ["Likes tea"]
    assert [json.loads(each) for each in found.rejected] == [entry]


@pytest.mark.parametrize(
    "value",
    [
        {"facts": {}},
        {"user": []},
        {"user": {"workContext": 3}},
        {"history": {"recentMonths": {"summary": ["x"]}}},
    ],
)
def test_a_section_of_another_shape_is_handed_back(value):
    found = read(value)
    assert found.document == MemoryDocument()
    assert len(found.rejected) == 1


def test_a_summary_written_as_plain_text_is_read():
    assert read({"user": {"workContext": "Writes Go."}}).document.summaries.work.text == "Writes Go."


@pytest.mark.parametrize(
    ("written", "counts_as"),
    [
        (0.9, 0.9),
        (1, 1.0),
        (95, 1.0),
        (-1, 0.0),
        ("0.8", 0.8),
        (None, 0.5),
        (True, 0.5),
        ("high", 0.5),
        ([], 0.5),
    ],
)
def test_every_confidence_is_a_number_between_0_and_1(written, counts_as):
    assert one(confidence=written).confidence == counts_as


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 400])
def test_a_confidence_that_is_no_number_counts_as_half(written):
    (found,) = read_document(
        f'{{"facts": [{{"content": "Likes tea", "confidence": {written}}}]}}'
    ).document.facts
    assert found.confidence == 0.5


@pytest.mark.parametrize(
    ("category", "ours"),
    [
        ("preference", "preference"), ("Knowledge", "knowledge"), ("identity", "identity"), (None, "context"),
        ("Side-Project", "Side-Project"), ("孩子", "孩子"), ("other", "context"), (3, "context"),
        ("a b", "context"), ("x" * 41, "context"), ("- [x] no\n", "context"), ("1st", "context"),
    ],
)  # fmt: skip
def test_a_category_that_nobody_names_any_more_stays(category, ours):
    assert one(category=category).category == ours


def test_a_category_that_another_version_moved_aside_is_found():
    assert one(category="other", categoryExtension="knowledge").category == Category.KNOWLEDGE


@pytest.mark.parametrize("given", ["fact_1a2b3c4d", "mine", "A-b_9", "0190c1e2-77aa"])
def test_ids_of_other_versions_stay(given):
    assert one(id=given).id == given


@pytest.mark.parametrize("given", [None, "", 7, "a b", "../x", "x" * 200])
def test_a_fact_without_a_usable_id_gets_one_and_always_the_same(given):
    assert one(id=given).id == one(id=given).id
    assert one(id=given).id.startswith("fact_")


def test_a_copied_entry_with_other_words_gets_an_id_of_its_own():
    entries = [{"id": "fact_1", "content": "Likes tea"}, {"id": "fact_1", "content": "Likes milk"}]
    facts = read({"facts": entries}).document.facts
    assert texts(facts) == ["Likes tea", "Likes milk"]
    assert len({each.id for each in facts}) == 2
    assert facts == read({"facts": entries}).document.facts


def test_an_entry_pasted_twice_is_one():
    entry = {"id": "fact_1", "content": "Likes tea"}
    assert texts(read({"facts": [entry, entry]}).document.facts) == ["Likes tea"]


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("t1", "t1"),
        (None, "unknown"),
        ({"type": "conversation", "threadId": "t1"}, "t1"),
        ({"type": "manual", "threadId": None}, "manual"),
        (3, "unknown"),
    ],
)
def test_sources_of_other_versions_are_understood(written, source):
    assert one(source=written).source == source


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01T12:00:00+02:00", "2026-05-01T10:00:00.000000Z"),
        ("2026-05-01", "2026-05-01T00:00:00.000000Z"),
        ("yesterday", ""),
        (None, ""),
        (1746093600, ""),
    ],
)
def test_times_are_utc_and_end_in_z(written, stored):
    assert one(createdAt=written).created_at == stored


def test_half_a_character_does_not_make_a_memory_unwritable():
    found = read_document('{"facts": [{"content": "tea \\ud83d!"}]}').document
    assert texts(found.facts) == ["tea \ufffd!"]
    assert read_document(document_json(found)).document == found


@unhurried
@given(any_document)
def test_a_written_memory_is_read_as_it_was(document):
    found = read_document(document_json(document))
    assert found.document == document
    assert found.rejected == ()


atoms = st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), plain_text)


json_values = st.one_of(atoms, st.lists(atoms, max_size=2), st.dictionaries(plain_text, atoms, max_size=2))


@unhurried
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "user": json_values,
            "history": st.one_of(json_values, st.fixed_dictionaries({"recentMonths": json_values})),
            "facts": st.one_of(
                json_values,
                st.lists(
                    st.fixed_dictionaries(
                        {"content": json_values},
                        optional=dict.fromkeys(
                            ("id", "category", "confidence", "createdAt", "source", "keywords", "shared"),
                            json_values,
                        ),
                    ),
                    max_size=3,
                ),
            ),
            "lastUpdated": json_values,
        },
    )
)
def test_whatever_a_hand_wrote_is_read_and_written_again(value):
    found = read_document(json.dumps(value)).document
    assert read_document(document_json(found)).document == found
