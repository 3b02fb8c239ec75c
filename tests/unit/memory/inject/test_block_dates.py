"""The block tells when each fact was said, and what day it is."""

import pytest

from parley.memory import format_memory_for_injection
from parley.memory.inject.block import build_block
from parley.memory.model.document import Category, Fact, MemoryDocument
from parley.memory.options import InjectionFormat, MemoryOptions
from parley.memory.text.token_counting import CharacterCounter

COUNTER = CharacterCounter()
JAZZ = Fact("1", "Went to a concert yesterday", Category.CONTEXT, 0.9, "2023-05-08T19:30:00Z")


def block(*facts, today="2026-11-25", **options):
    return build_block(
        MemoryDocument(facts=facts), facts, MemoryOptions(**options), COUNTER, private=True, today=today
    )


def test_a_fact_has_the_day_on_which_it_was_first_said():
    said_again = Fact("2", "Likes jazz", created_at="2024-02-29T00:00:00Z", confirmed_at="2026-01-01")
    assert block(JAZZ, said_again) == (
        "<memory>\nFacts (today is 2026-11-25):\n"
        "- 2023-05-08: Went to a concert yesterday\n- 2024-02-29: Likes jazz\n</memory>"
    )


@pytest.mark.parametrize("created_at", ["", "yesterday", "2023-5-8", "2023-05-08]\nFacts", "٢٠٢٣-٠٥-٠٨"])
def test_what_is_no_date_is_not_shown_as_one(created_at):
    fact = Fact("1", "Likes jazz", created_at=created_at)
    assert block(fact, today="") == "<memory>\nFacts:\n- Likes jazz\n</memory>"


def test_a_correction_tells_what_to_avoid():
    fact = Fact("1", "Uses uv", Category.CORRECTION, created_at="2026-01-02", source_error="pip")
    assert "- 2026-01-02: Uses uv (avoid: pip)\n" in block(fact)


def test_the_classic_form_has_category_and_confidence_and_no_date():
    classic = "<memory>\nFacts:\n- [context | 0.90] Went to a concert yesterday\n</memory>"
    assert block(JAZZ, injection_format=InjectionFormat.CLASSIC) == classic
    entry = {"content": JAZZ.content, "category": "context", "confidence": 0.9, "createdAt": JAZZ.created_at}
    assert format_memory_for_injection({"facts": [entry]}) == classic
    assert format_memory_for_injection(MemoryDocument(facts=(JAZZ,))) == classic
    dated = format_memory_for_injection({"facts": [entry]}, injection_format=InjectionFormat.DATED)
    assert dated == "<memory>\nFacts:\n- 2023-05-08: Went to a concert yesterday\n</memory>"


@pytest.mark.parametrize("tokens", range(20, 60, 5))
def test_the_heading_with_the_day_is_within_the_budget(tokens):
    facts = [Fact(str(number), f"Fact {number}", created_at="2026-01-01") for number in range(20)]
    assert COUNTER.count(block(*facts, max_injection_tokens=tokens)) <= tokens
