"""CPU of one question among many facts, beside plain TF-IDF in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from random import Random
from statistics import median

from benchmarks.recall.rankers import Order
from parley.memory.inject.block import build_block
from parley.memory.inject.line_cache import LineCache
from parley.memory.model.document import Fact, MemoryDocument
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank_lazily
from parley.memory.text.token_counting import token_counter

_NAMES = ["User", "Anna", "Bela", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Ivo"]
_VERBS = [
    "likes",
    "repaired",
    "wants to visit",
    "is afraid of",
    "bought",
    "talked about",
    "collects",
    "gave away",
]
_ADJECTIVES = ["old", "green", "small", "wooden", "famous", "quiet", "broken", "Portuguese", "heavy", "cheap"]
_SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "ra", "shi", "ta", "ve", "wo", "zu"]
_QUESTIONS = 100
_SEED = 4
_WARM_UP = 60.0


def remembered(many: int) -> list[Fact]:
    """Facts of invented things: some words in most facts, most words in few, as in any language."""
    random = Random(_SEED)
    things = ["".join(random.choices(_SYLLABLES, k=3)) for _ in range(2000)]
    facts = []
    for place in range(many):
        thing, other = (things[int(random.paretovariate(0.6)) % len(things)] for _ in range(2))
        name, verb, kind = random.choice(_NAMES), random.choice(_VERBS), random.choice(_ADJECTIVES)
        text = f"{name} {verb} the {kind} {thing} with {random.choice(_NAMES)} near the {other}"
        day = f"2025-{1 + place % 12:02}-{1 + place % 28:02}T12:00:00Z"
        facts.append(Fact(str(place), text, created_at=day, source=f"thread-{place // 8}", subject=name))
    return facts


def questions(facts: Sequence[Fact]) -> list[str]:
    """What is asked about some of them."""
    chosen = Random(_SEED).sample(facts, _QUESTIONS)
    words = (fact.content.split() for fact in chosen)
    return [f"What did {each[0]} say about the {' '.join(each[-6:])}?" for each in words]


def milliseconds(over: Callable[[Sequence[Fact]], Order], facts: Sequence[Fact]) -> float:
    """Median CPU time of ordering facts for one question; the index is there already."""
    order = over(facts)
    taken = []
    for text in questions(facts):
        began = time.thread_time()
        order([text])
        taken.append(time.thread_time() - began)
    return 1000 * median(taken)


def milliseconds_of_a_turn(facts: Sequence[Fact]) -> float:
    """Median CPU time of a turn's recall, from the question to the block; the index is there already."""
    options = MemoryOptions()
    counter, index, lines = token_counter(options), FactIndex(facts), LineCache()
    counter.wait(_WARM_UP)
    document, taken = MemoryDocument(facts=tuple(facts)), []
    lines.price(facts, counter)
    for text in questions(facts):
        began = time.thread_time()
        build_block(
            document,
            rank_lazily(index, [text], options),
            options,
            counter,
            private=True,
            today="2026-11-25",
            lines=lines,
            concerned=index.concerns([text]),
        )
        taken.append(time.thread_time() - began)
    return 1000 * median(taken)


def to_learn_one(update: Callable[[Sequence[Fact]], None], facts: Sequence[Fact]) -> float:
    """Median milliseconds of CPU to take in one more fact, ten times."""
    taken = []
    extended = tuple(facts)
    for place in range(10):
        extended = (*extended, Fact(f"new{place}", f"User met number {place}"))
        began = time.thread_time()
        update(extended)
        taken.append(time.thread_time() - began)
    return 1000 * median(taken)
