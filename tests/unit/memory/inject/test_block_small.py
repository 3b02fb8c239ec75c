"""Most memories fit whatever their tokens are counted to be: then no tokenizer is asked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.memory.inject.block import build_block, by_confidence
from parley.memory.model.document import Category, Fact, MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.text.token_counting import token_counter
from tests.kit.machine import patience
from tests.kit.samples.memories import summaries_of

COUNTER = token_counter(MemoryOptions())


@pytest.fixture(autouse=True)
def _tokenizer():
    assert COUNTER.wait(patience(30))


def fact(content, confidence=0.9):
    return Fact(content[:40], content, Category.PREFERENCE, confidence)


def document(*facts, **summaries):
    return MemoryDocument(summaries_of(summaries), facts)


class Untouched:
    """A counter that nobody may ask."""

    exact = False

    def count(self, text):
        raise AssertionError(f"counted: {text!r}")

    def wait(self, timeout):
        raise AssertionError("waited for")

    def __hash__(self):
        return 0


def test_a_memory_with_room_for_all_of_it_needs_no_tokenizer():
    small = document(*(fact(f"Fact number {n} about 猫 and tea") for n in range(9)), work="Builds bridges.")
    ranked = by_confidence(small.facts)
    told = build_block(small, ranked, MemoryOptions(), Untouched(), private=True)
    assert "Builds bridges." in told
    assert [f"Fact number {n} " in told for n in range(9)] == [True] * 9
    assert COUNTER.count(told) < 500


@pytest.mark.parametrize("large", [{"work": "word " * 900}, {"facts": 60}])
def test_a_memory_that_may_not_fit_is_counted(large):
    facts = [
        fact(f"Fact number {n} about the cat and the tea that it likes") for n in range(large.get("facts", 0))
    ]
    memory = document(*facts, **{name: text for name, text in large.items() if name != "facts"})
    with pytest.raises(AssertionError, match="counted"):
        build_block(memory, by_confidence(memory.facts), MemoryOptions(), Untouched(), private=True)


@given(
    st.lists(st.text(min_size=1, max_size=60), max_size=30),
    st.lists(st.text(max_size=200), max_size=6),
    st.integers(50, 3000),
)
@settings(max_examples=60, deadline=None)
def test_without_true_counts_a_block_is_the_one_that_they_would_give(contents, texts, budget):
    facts = [fact(content, 0.9 - n / 100) for n, content in enumerate(contents)]
    memory = document(*facts, **dict(zip(("work", "personal", "recent"), texts, strict=False)))
    options = MemoryOptions(max_injection_tokens=budget)
    ranked = by_confidence(memory.facts)
    try:
        told = build_block(memory, ranked, options, Untouched(), private=True)
    except AssertionError:
        return
    # Room for everything: so it is with as much more room as anybody may want.
    assert told == build_block(
        memory, ranked, MemoryOptions(max_injection_tokens=budget * 50), COUNTER, private=True
    )
