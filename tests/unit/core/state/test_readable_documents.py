"""A list goes on past a document that is damaged."""

import logging
from dataclasses import dataclass, replace

import pytest

from parley.core.model.codec import encode
from parley.core.ports.journal import Document
from parley.core.state.readable_documents import iter_readable
from tests.kit.doubles.web import MemoryDocuments


@dataclass(frozen=True)
class Note:
    """Something with a text."""

    text: str


async def test_what_is_damaged_is_left_out_and_named_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    documents = MemoryDocuments()
    for name in "abcde":
        await documents.set(Document(f"readable/{name}", encode(Note(name)), 0))
    for name, body in (("b", '{"text": "SECRET'), ("c", "[]"), ("d", "[" * 100_000)):
        key = f"readable/{name}"
        documents.bodies[key] = replace(documents.bodies[key], body=body)
    with caplog.at_level(logging.ERROR):
        found = [note.text async for note, _ in iter_readable(documents, Note, "readable/")]
    assert found == ["a", "e"]
    assert [f"readable/{name}" in line for name, line in zip("bcd", caplog.messages, strict=True)] == [
        True
    ] * 3
    assert "SECRET" not in caplog.text
