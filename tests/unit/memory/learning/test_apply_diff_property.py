"""Whatever a model proposes: the cap holds, a person's own words stay, nothing is stored twice or wrong."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.memory.edits.eviction import PROTECTED_SHARE
from parley.memory.edits.history import PAST_VERSIONS
from parley.memory.edits.similarity import comparison_key
from parley.memory.edits.summaries import MOST_OF_SUMMARY
from parley.memory.edits.tombstones import is_barred, make_tombstone
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.learning.extraction.diff import (
    UNREADABLE,
    Confirmation,
    Diff,
    Judgement,
    ProposedFact,
    Relation,
    Removal,
    SummaryChange,
)
from parley.memory.model.document import Category, Fact, MemoryDocument, Notes, StoredMemory
from parley.memory.model.vocabulary import TOPICS
from parley.memory.options import MemoryOptions
from tests.kit.samples.memories import at, context, learned

unhurried = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = [
    "tea",
    "coffee",
    "Rome",
    "Oslo",
    "chess",
    "cats",
    "4",
    "5",
    "not",
    "茶",
    "上海",
    "喜欢",
    "often",
    ".",
]
said = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
ids = st.sampled_from([f"fact_{number:08x}" for number in range(8)])
days = st.integers(0, 9).map(at)

known_facts = st.lists(
    st.builds(
        Fact,
        id=ids,
        content=said,
        category=st.sampled_from(Category),
        confidence=st.floats(0, 1),
        created_at=days,
        source=st.sampled_from(["manual", "thread"]),
        shared=st.booleans(),
    ),
    max_size=8,
    unique_by=(lambda each: each.id, lambda each: comparison_key(each.content)),
)
new_facts = st.builds(
    ProposedFact,
    content=st.one_of(said, st.text(max_size=12)),
    category=st.sampled_from(Category),
    confidence=st.one_of(st.floats(0.6, 1), st.floats()),
    source_error=said,
    keywords=st.lists(said, max_size=2).map(tuple),
    judgements=st.lists(st.builds(Judgement, ids, st.sampled_from(Relation)), max_size=2).map(tuple),
    turns=st.lists(st.sampled_from(["private", "aloud", "unknown"]), max_size=2).map(tuple),
)
removals = st.builds(
    Removal,
    ids,
    replaced_by=st.one_of(st.none(), st.integers(0, 5), st.just(UNREADABLE)),
    forget=st.booleans(),
)
diffs = st.builds(
    Diff,
    new_facts=st.lists(new_facts, max_size=5).map(tuple),
    removals=st.lists(removals, max_size=3).map(tuple),
    summaries=st.lists(
        st.builds(
            SummaryChange,
            st.sampled_from([*TOPICS, "none"]),
            said.map(lambda text: text * 99),
            st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    confirmations=st.lists(st.builds(Confirmation, ids), max_size=2).map(tuple),
    unreadable=st.integers(0, 1),
)


@unhurried
@given(known_facts, diffs, st.integers(1, 10), st.lists(st.tuples(said, days), max_size=2))
def test_no_diff_breaks_a_memory(facts, diff, most, buried):
    tombstones = tuple(make_tombstone(content, day) for content, day in buried)
    before = StoredMemory(MemoryDocument(facts=tuple(facts)), Notes(tombstones=tombstones))
    turns = (learned("private", 5, private=True), learned("aloud", 5, private=False))
    after = apply_diff(before, diff, context(9, *turns), MemoryOptions(max_facts=most))
    now = after.document.facts

    assert len(now) <= most
    assert len({each.id for each in now}) == len(now)
    assert len({comparison_key(each.content) for each in now}) == len(now)
    assert all(0 <= each.confidence <= 1 and each.content.strip() for each in now)
    assert dict(after.document.summaries.named()).keys() == TOPICS.keys()
    assert all(len(each.text) <= MOST_OF_SUMMARY for _, each in after.document.summaries.named())
    assert len(after.notes.past) <= PAST_VERSIONS

    known = {each.id for each in facts}
    for each in now:
        if each.id not in known:
            assert each.confidence >= 0.7
            assert not is_barred(tombstones, each.content, at(5))

    asked = {removal.id for removal in diff.removals if removal.forget}
    mine = [each for each in facts if each.manual and each.id not in asked]
    safe = min(len(mine), int(most * PROTECTED_SHARE + 0.5))
    kept = {each.id: each for each in now if each.manual}
    assert sum(each.id in kept for each in mine) >= safe
    assert all(kept[each.id].content == each.content for each in mine if each.id in kept)
    gone = {each.content for each in facts if each.id in asked}
    assert gone.isdisjoint(each.content for each in now)


@unhurried
@given(known_facts, diffs)
def test_the_same_diff_again_adds_nothing_that_was_known(facts, diff):
    before = StoredMemory(MemoryDocument(facts=tuple(facts)))
    turns = (learned("private", 5, private=True), learned("aloud", 5, private=False))
    once = apply_diff(before, Diff(new_facts=tuple(diff.new_facts)), context(9, *turns))
    plain = Diff(
        tuple(ProposedFact(each.content, each.category, each.confidence) for each in once.document.facts)
    )
    twice = apply_diff(once, plain, context(9, *turns))
    assert [each.content for each in twice.document.facts] == [each.content for each in once.document.facts]
