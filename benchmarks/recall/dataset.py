"""Invented people with what is remembered of them, and questions with the facts that answer them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

from parley.memory.model.document import Category, Fact

_FILE = Path(__file__).parent / "data" / "recall.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the facts that answer it."""

    text: str
    answers: frozenset[Fact]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody's memory and what they ask."""

    name: str
    language: str
    facts: tuple[Fact, ...]
    questions: tuple[Asked, ...]


def people() -> list[Person]:
    """Everybody in data/recall.json."""
    found = []
    for person in json.loads(_FILE.read_text(encoding="utf-8"))["people"]:
        facts = tuple(
            Fact(str(place), content, Category(category), confidence, f"{day}T12:00:00Z", talk)
            for place, (content, category, confidence, day, talk) in enumerate(person["facts"])
        )
        questions = tuple(
            Asked(text, frozenset(facts[place] for place in places)) for text, places in person["questions"]
        )
        found.append(Person(person["name"], person["language"], facts, questions))
    return found


def recall(order: Sequence[Fact], answers: frozenset[Fact], first: int) -> float:
    """The share of the answers that are among the first facts."""
    return len(answers & set(order[:first])) / len(answers)


def gain(order: Sequence[Fact], answers: frozenset[Fact]) -> float:
    """nDCG@10: 1 where the answers come first, less the further down they stand."""
    found = sum(1 / log2(place + 2) for place, fact in enumerate(order[:10]) if fact in answers)
    return found / sum(1 / log2(place + 2) for place in range(min(10, len(answers))))
