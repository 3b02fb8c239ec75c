"""Forms of secrets, the marks that stand in their place, and the texts that they are looked for in.

Every pattern is bounded, or begins where a run of its characters begins: they take linear time. Each is tried
only where something that it begins with was found, which is a third of the work.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from parley.memory.text.search_terms import UNSPACED

CARD, IBAN, KEY, PASSWORD = "[card number]", "[IBAN]", "[key]", "[password]"
PERSONAL_NUMBER, SEED_PHRASE = "[personal number]", "[seed phrase]"
MARKS = (CARD, IBAN, KEY, PASSWORD, PERSONAL_NUMBER, SEED_PHRASE)

# Not within a word; scripts without spaces may stand directly before.
WORD_BEGINS = rf"(?<![^\W{UNSPACED}])"
HAN_IS = "(?:就?是|为|為|は|는|은)"


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text without its secrets, and how many there were."""

    text: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A form of secrets: its pattern, what stands in the place of a match, and where matches may begin.

    `begins` has a text with which each match begins, in small letters if the pattern ignores case. Without
    any, matches begin at a number, or `ahead` of it.
    """

    pattern: re.Pattern[str]
    mask: Callable[[re.Match[str]], str]
    begins: tuple[str, ...] = ()
    ahead: int = 0

    def find(self, searched: SearchedText) -> Iterator[re.Match[str]]:
        """Yield the matches, as `finditer` does."""
        end = 0
        for place in self._places(searched):
            found = self.pattern.match(searched.text, place) if place >= end else None
            if found:
                yield found
                end = found.end()

    def _places(self, searched: SearchedText) -> Iterable[int]:
        if not self.begins:
            return [place - self.ahead for place in searched.numbers if place >= self.ahead]
        text = searched.folded if self.pattern.flags & re.IGNORECASE else searched.text
        present = [each for each in self.begins if each in text]
        return sorted({*chain.from_iterable(_occurrences(text, each) for each in present)})


class SearchedText:
    """A text, and what several forms of secrets look at in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """Return the text in small letters, each in its place."""
        folded = self.text
        for odd, plain in () if folded.isascii() else _ODD_CASES:
            folded = folded.replace(odd, plain)
        return folded.lower()

    @cached_property
    def numbers(self) -> list[int]:
        """Return where numbers begin; of one in two scripts, where each of them does."""
        return [found.start() for found in _NUMBER.finditer(self.text)]


_NUMBER = re.compile(r"[0-9]+|[^\D0-9]+")
# Letters that `re.IGNORECASE` takes for these, and which are none of their capitals.
_ODD_CASES = tuple(zip("ſıİᲀᲁᲂᲃᲄᲅᲆ", "siiвдосттъ", strict=True))


def _occurrences(text: str, part: str) -> Iterator[int]:
    place = text.find(part)
    while place >= 0:
        yield place
        place = text.find(part, place + 1)


def mask_group(found: re.Match[str], mark: str, group: str | int) -> str:
    """Return the match with a mark in the place of one of its groups."""
    start, end = (place - found.start() for place in found.span(group))
    return found[0][:start] + mark + found[0][end:]
