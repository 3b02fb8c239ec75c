"""Memory's files, and what models learn, are read as far as they can be; what cannot is named."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from parley.core.errors import MemoryFailed
from parley.memory import (
    codec,
    dates,
    legacy,
    marks,
    rules,
    sentences,
    similar,
    smalltalk,
    uploads,
    values,
    words,
)
from parley.memory import parse as answers
from parley.memory.document import MemoryDocument
from tests.fuzz.hostile import bent, fuzzed, texts
from tests.fuzz.hostile import values as anything

pytestmark = [pytest.mark.fuzz, pytest.mark.timeout(3_000)]

FACT = {
    "id": "fact_1234abcd",
    "content": "Likes tea",
    "category": "preference",
    "confidence": 0.9,
    "createdAt": "2025-01-02T03:04:05Z",
    "source": "thread-1",
    "keywords": ["tea"],
    "accounts": ["slack:U1"],
    "subject": "tea",
    "shared": True,
}
DOCUMENT = {
    **json.loads(codec.document_json(MemoryDocument())),
    "facts": [FACT, {**FACT, "id": "fact_2"}],
    "lastUpdated": "2025-01-02T03:04:05Z",
}
UPDATE = {
    "user": {"workContext": {"summary": "x", "shouldUpdate": True}},
    "history": {"recentMonths": {"summary": "x", "shouldUpdate": True}},
    "newFacts": [
        {
            "content": "Likes tea",
            "category": "preference",
            "confidence": 0.9,
            "turns": ["1"],
            "subject": "tea",
        }
    ],
    "factsToRemove": ["fact_1", {"id": "fact_1", "replacedBy": 0}],
    "confirmations": ["fact_1"],
}
SHOWN = answers.Shown(frozenset({"fact_1"}), ("t1",))


@fuzzed()
@given(bent([DOCUMENT]) | anything)
def test_a_changed_document_is_read_and_written_again(value):
    with suppress(ValueError):
        found = codec.read_document(json.dumps(value)).document
        again = codec.read_document(codec.document_json(found))
        assert again.rejected == ()
        assert len(again.document.facts) == len(found.facts)
        assert replace(again.document, facts=()) == replace(found, facts=())


@fuzzed()
@given(texts)
def test_any_text_is_a_document_or_none(text):
    with suppress(ValueError):
        codec.read_document(text)


@fuzzed()
@given(bent([UPDATE]) | anything, texts, texts)
def test_any_answer_of_a_model_is_learned_from_or_fails(value, before, after):
    with suppress(MemoryFailed):
        answers.read_text(before + json.dumps(value) + after, SHOWN)
    answers.text_of(value)


@fuzzed()
@given(texts)
def test_any_words_are_learned_from(text):
    own = marks.own_words(text)
    marks.agent_words(text)
    for sentence in rules.sentences(own):
        rules.read(sentence)
    smalltalk.says_nothing(text)
    smalltalk.yes_no_question(text)
    for read in (sentences.sentences, words.terms, dates.written_days, values.values, uploads.is_upload_news):
        list(found) if isinstance(found := read(text), list | tuple | set | frozenset) else found
    similar._gist.__wrapped__(text)


@fuzzed(0.3)
@given(
    files=st.dictionaries(
        st.sampled_from(
            ("memory.json", "users/a/memory.json", "agents/x/facts/f.md", "users/b/agents/y/facts/g.md")
        ),
        st.one_of(
            texts,
            bent([DOCUMENT]).map(json.dumps),
            st.builds(lambda front, body: f"---\n{front}\n---\n{body}", texts, texts),
            st.builds(lambda fact, body: f"---\n{yaml.safe_dump(fact)}\n---\n{body}", bent([FACT]), texts),
            st.sampled_from(
                ("---\n" + "[" * 3_000 + "\n---\nx", "---\n? [a]\n: b\n---\nx", "---\na: &a [*a]\n---\nx")
            ),
        ),
        min_size=1,
    )
)
def test_any_older_memory_is_found_or_named(tmp_path_factory, files):
    base = tmp_path_factory.mktemp("legacy")
    for name, text in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with suppress(MemoryFailed):
        for source in legacy.find(base, "slack:U1"):
            codec.document_json(source.document)
