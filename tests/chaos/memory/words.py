"""Words that nobody says but once: each tells who said it, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"\bZq[a-z]+\b")
ASKED = re.compile(r"\bAsk[0-9]+\b")
PRIVATE = "p"
_LETTERS = "abcdefghij"


@dataclass(frozen=True, slots=True)
class Word:
    """Said by a person, by number, in private or in a group by its letter (never "p"); `number` is unique."""

    person: int
    place: str
    number: int

    @property
    def text(self) -> str:
        """The word as it is said."""
        number = "".join(_LETTERS[int(digit)] for digit in str(self.number))
        return f"Zq{_LETTERS[self.person]}{self.place}{number}"


def read(text: str) -> Word:
    """The word of a text."""
    number = "".join(str(_LETTERS.index(letter)) for letter in text[4:])
    return Word(_LETTERS.index(text[2]), text[3], int(number))
