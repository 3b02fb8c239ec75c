"""Normalisation of texts and keywords before they are stored."""

from __future__ import annotations

from collections.abc import Iterable

from parley.core.model.sanitize import sanitize_text
from parley.memory.edits.summaries import shorten
from parley.memory.model.document import Category
from parley.memory.model.vocabulary import USUAL_VOCABULARY, MemoryVocabulary
from parley.memory.text.instructions import is_standing_instruction

# Characters. A fact is a sentence: a longer text would crowd out others.
MOST_OF_FACT = 500
_MOST_OF_KEYWORD = 40
_MOST_KEYWORDS = 12


def one_line(text: str, most: int) -> str:
    """Return the text as one line: no hidden characters, whitespace collapsed, at most `most` characters."""
    return shorten(" ".join(sanitize_text(text).split()), most)


def settle_category(content: str, wanted: str, vocabulary: MemoryVocabulary = USUAL_VOCABULARY) -> str:
    """Return the category of a text, one that is configured.

    An instruction is one only about style, language, format or a name.
    """
    refused = wanted == Category.INSTRUCTION and not is_standing_instruction(content)
    return vocabulary.category(Category.PREFERENCE if refused else wanted)


def clean_keywords(words: Iterable[str]) -> tuple[str, ...]:
    """Return the keywords, each once, in order, a dozen at most."""
    lines = (one_line(word, _MOST_OF_KEYWORD) for word in words)
    return tuple(dict.fromkeys(line for line in lines if line))[:_MOST_KEYWORDS]
