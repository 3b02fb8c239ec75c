"""Notes as JSON: read as written, small, and refused where they are something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.memory.model.document import (
    MemoryDocument,
    Notes,
    Tombstone,
)
from parley.memory.storage.notes_format import NotesFile, notes_json, read_notes, restored_notes, saved_notes
from tests.kit.samples.memories import fact
from tests.unit.memory.storage.documents import any_document, plain_text, times, unhurried


@unhurried
@given(
    any_document,
    st.builds(
        Notes,
        generation=st.integers(0, 9),
        off=st.booleans(),
        tombstones=st.lists(
            st.builds(
                Tombstone,
                digest=plain_text,
                at=times,
                sketch=st.lists(st.integers(0, 4095), max_size=3).map(tuple),
            ),
            max_size=3,
        ).map(tuple),
        watermarks=st.dictionaries(plain_text, plain_text, max_size=3),
        past=st.lists(any_document, max_size=3).map(tuple),
        last_id=st.sampled_from(["", "fact_00000001"]),
    ),
)
def test_notes_are_read_as_they_were_written(document, notes):
    file = NotesFile("ann", "digest", saved_notes(notes, document))
    assert read_notes(notes_json(file)) == file
    assert restored_notes(read_notes(notes_json(file)).notes, document) == notes


def test_five_versions_of_a_large_memory_take_little_room():
    facts = tuple(fact(number, f"Number {number} is lucky") for number in range(1000))
    document = MemoryDocument(facts=facts)
    past = tuple(MemoryDocument(facts=facts[: 1000 - back]) for back in range(1, 6))
    assert len(notes_json(NotesFile("ann", "", saved_notes(Notes(past=past), document)))) < 2000


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"notes": 3}', '{"notes": {"generation": "x"}}', '{"notes": {"watermarks": []}}']
)
def test_what_are_no_notes_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011
        read_notes(text)
