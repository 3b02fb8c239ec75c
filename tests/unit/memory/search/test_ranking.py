"""The order in which facts compete for the budget."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank

FACTS = (
    Fact("tea", "User drinks tea in the morning", confidence=0.7, created_at="2024-01-01T00:00:00Z"),
    Fact("sure", "User lives in Lyon", confidence=0.98, created_at="2024-01-02T00:00:00Z"),
    Fact("old", "User plays chess", confidence=0.9, created_at="2023-01-01T00:00:00Z"),
    Fact("new", "User owns a boat", confidence=0.9, created_at="2024-03-01T00:00:00Z"),
)


def ids(messages, ranking=Ranking.RELEVANCE, facts=FACTS, **options):
    return [fact.id for fact in rank(FactIndex(facts), messages, MemoryOptions(ranking=ranking, **options))]


def test_relevance_comes_before_confidence_and_confidence_fills_the_rest():
    assert ids(["some tea?"]) == ["tea", "sure", "new", "old"]


@pytest.mark.parametrize("ranking", list(Ranking))
@pytest.mark.parametrize("messages", [[], [""], ["ok", "thanks"], ["nothing of this kind"]])
def test_where_nothing_was_said_the_surest_and_newest_come_first(ranking, messages):
    assert ids(messages, ranking) == ["sure", "new", "old", "tea"]


def test_the_classic_order_ignores_what_was_said():
    assert ids(["some tea?"], Ranking.CONFIDENCE) == ["sure", "new", "old", "tea"]


def test_a_fact_that_was_said_again_counts_as_fresh():
    again = Fact("again", "User sails", confidence=0.9, created_at="2022-01-01", confirmed_at="2024-05-01")
    assert ids([], facts=(*FACTS, again)) == ["sure", "again", "new", "old", "tea"]


def test_the_weighted_order_is_the_documented_formula():
    index = FactIndex(FACTS)
    messages = ["tea in the morning, chess at night"]
    options = MemoryOptions(ranking=Ranking.WEIGHTED)
    similarity = {fact.id: score for fact, score in index.search(messages)}
    weights = [
        0.6 * similarity.get(fact.id, 0.0) + 0.4 * fact.confidence for fact in rank(index, messages, options)
    ]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == len(weights)


def test_a_weak_but_asked_for_fact_beats_a_sure_one_that_nobody_asked_for_by_the_weights():
    trip = (
        Fact("stay", "用户去上海出差时喜欢住安静的酒店", confidence=0.8),
        Fact("sure", "用户喜欢喝茶", confidence=0.98),
    )
    assert ids(["下周去上海出差，帮我选个酒店"], Ranking.WEIGHTED, trip) == ["stay", "sure"]


def test_weights_can_be_set():
    only_confidence = {"similarity_weight": 0.0, "confidence_weight": 1.0}
    assert ids(["some tea?"], Ranking.WEIGHTED, **only_confidence) == ["sure", "new", "old", "tea"]


WORDS = st.lists(st.sampled_from(["tea", "boat", "茶", "chess", "and", "2024"]), max_size=4).map(" ".join)
ANY = st.builds(
    Fact,
    id=st.text(max_size=2),
    content=WORDS,
    confidence=st.floats(0, 1),
    created_at=st.sampled_from(["", "2024-05-04"]),
)


@given(st.lists(ANY, max_size=15, unique=True), st.lists(WORDS, max_size=3), st.sampled_from(list(Ranking)))
@settings(deadline=None)
def test_every_fact_comes_exactly_once(facts, messages, ranking):
    ranked = rank(FactIndex(facts), messages, MemoryOptions(ranking=ranking))
    assert len(ranked) == len(facts)
    assert set(ranked) == set(facts)
