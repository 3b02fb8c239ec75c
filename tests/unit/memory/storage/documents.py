"""Strategies of memories for property tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from parley.memory.model.document import (
    Category,
    Fact,
    MemoryDocument,
    Summaries,
    Summary,
)
from parley.memory.model.vocabulary import TOPICS
from tests.kit.samples.memories import at

# Making a whole memory up takes a while on a busy machine.
unhurried = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


plain_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


times = st.one_of(st.just(""), st.integers(0, 400).map(at))


any_fact = st.builds(
    Fact,
    id=st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True),
    content=plain_text.map(lambda text: (text + "x").strip()),
    category=st.sampled_from(Category),
    confidence=st.floats(0, 1),
    created_at=times,
    source=st.sampled_from(["manual", "thread", "unknown"]),
    source_error=plain_text.map(str.strip),
    shared=st.booleans(),
    subject=plain_text.map(str.strip),
    keywords=st.lists(plain_text.map(lambda text: (text + "k").strip()), max_size=3).map(tuple),
    confirmed_at=times,
)


any_facts = st.lists(any_fact, max_size=6, unique_by=lambda each: each.id).map(tuple)


any_summary = st.builds(Summary, plain_text.map(str.strip), times)


any_document = st.builds(
    MemoryDocument,
    summaries=st.dictionaries(st.sampled_from([*TOPICS, "allergies", "孩子"]), any_summary).map(
        Summaries().changed
    ),
    facts=any_facts,
    updated_at=times,
)
