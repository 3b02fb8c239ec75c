"""Memory's files, and what models learn, are read as far as they can be; what cannot is named."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from parley.core.model.errors import MemoryFailed
from parley.memory.edits import comparable_values, similarity
from parley.memory.learning import upload_filter
from parley.memory.learning.extraction import parse_response as answers
from parley.memory.learning.extraction import rules, statements, strip_markup
from parley.memory.migration import legacy_layouts
from parley.memory.model.document import MemoryDocument
from parley.memory.search import date_terms
from parley.memory.storage import document_format
from parley.memory.text import search_terms, sentences, smalltalk
from tests.fuzz.strategies import bent, fuzzed, texts
from tests.fuzz.strategies import values as anything

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
    **json.loads(document_format.document_json(MemoryDocument())),
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
    "factsToRemove": ["F1", {"id": "F1", "replacedBy": 0}],
    "confirmations": ["F1"],
}
SHOWN = answers.ShownIds({"F1": "fact_1"}, ("t1",))


@fuzzed()
@given(bent([DOCUMENT]) | anything)
def test_a_changed_document_is_read_and_written_again(value):
    with suppress(ValueError):
        found = document_format.read_document(json.dumps(value)).document
        again = document_format.read_document(document_format.document_json(found))
        assert again.rejected == ()
        assert len(again.document.facts) == len(found.facts)
        assert replace(again.document, facts=()) == replace(found, facts=())


@fuzzed()
@given(texts)
def test_any_text_is_a_document_or_none(text):
    with suppress(ValueError):
        document_format.read_document(text)


@fuzzed()
@given(bent([UPDATE]) | anything, texts, texts)
def test_any_answer_of_a_model_is_learned_from_or_fails(value, before, after):
    with suppress(MemoryFailed):
        answers.read_text(before + json.dumps(value) + after, SHOWN)
    answers.content_text(value)


@fuzzed()
@given(texts)
def test_any_words_are_learned_from(text):
    own = strip_markup.own_words(text)
    strip_markup.agent_words(text)
    statements.read_statements(own, rules.split_statements(own))
    rules.RuleExtractor().corrects(own)
    smalltalk.says_nothing(text)
    smalltalk.yes_no_question(text)
    for read in (
        sentences.split_sentences,
        search_terms.terms,
        date_terms.written_days,
        comparable_values.comparable_values,
        upload_filter.is_upload_news,
    ):
        list(found) if isinstance(found := read(text), list | tuple | set | frozenset) else found
    similarity._gist.__wrapped__(text)


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
        for source in legacy_layouts.find_legacy_memories(base, "slack:U1"):
            document_format.document_json(source.document)
