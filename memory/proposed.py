"""A proposed fact as it may be stored: checked item by item, clamped, and cut to length."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from parley.core.clean import clean
from parley.memory.diff import NewFact
from parley.memory.document import Category
from parley.memory.summarised import shortened
from parley.memory.uploads import is_upload_news

# Characters. A fact is a sentence: what is longer was not distilled, and would crowd out others.
MOST_OF_FACT = 500
_MOST_OF_ERROR = 300
_MOST_OF_SUBJECT = 80
_MOST_OF_KEYWORD = 40
_MOST_KEYWORDS = 12
UNSURE = 0.5


def one_line(text: str, most: int) -> str:
    """Text of a person or a model as one line: nothing hidden, whitespace collapsed, at most `most` long."""
    return shortened(" ".join(clean(text).split()), most)


def checked(new: NewFact) -> NewFact | None:
    """The fact with everything within its bounds; None where nothing worth storing is in it."""
    content = one_line(new.content, MOST_OF_FACT)
    if not any(char.isalnum() for char in content) or is_upload_news(content):
        return None
    correction = new.category is Category.CORRECTION
    return replace(
        new,
        content=content,
        confidence=clamped(new.confidence),
        source_error=one_line(new.source_error, _MOST_OF_ERROR) if correction else "",
        keywords=keywords(new.keywords),
        subject=one_line(new.subject, _MOST_OF_SUBJECT),
    )


def clamped(value: object) -> float:
    """A confidence within 0 and 1; whatever is not a finite number counts as 0.5."""
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return UNSURE
    try:
        number = float(value)
    except OverflowError:
        return UNSURE
    return min(1.0, max(0.0, number)) if math.isfinite(number) else UNSURE


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def keywords(words: Iterable[str]) -> tuple[str, ...]:
    """Each once, in order, a dozen at most."""
    lines = (one_line(word, _MOST_OF_KEYWORD) for word in words)
    return tuple(dict.fromkeys(line for line in lines if line))[:_MOST_KEYWORDS]
