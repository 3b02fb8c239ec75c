"""Values that two equal statements must share: numbers, times, order, negation, names and subject."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from parley.memory.text.lazy_pattern import lazy_pattern
from parley.memory.text.search_terms import UNSPACED

_UNITS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBER = {word: str(number) for number, word in enumerate(_UNITS.split())}
_NUMBER |= {"once": "1", "twice": "2", "both": "2", "dozen": "12", "hundred": "100", "thousand": "1000"}
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday weekend today tomorrow yesterday tonight"
_ORDER = "first second third last next previous before after former until since ago early late"
_SPANS = "day week month year morning afternoon evening night daily weekly monthly yearly"
_TENSE = "was were had used will would might may could formerly previously currently anymore longer"
_TELLING = frozenset(f"{_MONTHS} {_DAYS} {_ORDER} {_SPANS} {_TENSE}".split())
_NEGATION = lazy_pattern(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|barely|stopped|quit|\w+n't)\b"
    r"|[不没沒无無别未非勿]"
)
_HAN_VALUE = lazy_pattern(
    r"[零一二两兩三四五六七八九十百千万半几]|周[日末]|星期|上|下|前|后|後|早|晚|先|再|年|月|日|号|曾|将|已"
)
_NUMERAL = re.compile(r"\d+(?:[.,:]\d+)*")
_LETTER = rf"[^\W\d_{UNSPACED}]"
_WORD = lazy_pattern(rf"{_LETTER}+(?:'{_LETTER}+)*")
# A statement is about the one it begins with; these openings stand for the person whose memory it is.
_ANYBODY = frozenset({"user", "i", "they", "he", "she", "", "the"})


@dataclass(frozen=True, slots=True)
class ComparableValues:
    """Values of a statement: `told` counts numbers and words of time and order; `names` keep order."""

    told: tuple[tuple[str, int], ...]
    negations: int
    names: tuple[str, ...]
    words: frozenset[str]
    opening: str

    def agree(self, other: ComparableValues) -> bool:
        """Return whether no value shows that two statements differ."""
        return (
            self.told == other.told
            and self.negations == other.negations
            and self._names_fit(other)
            and (self.opening == other.opening or bool({self.opening, other.opening} & _ANYBODY))
        )

    def _names_fit(self, other: ComparableValues) -> bool:
        """Return whether at most one side has names of its own, and common names have the same order."""
        if set(self.names) - other.words and set(other.names) - self.words:
            return False
        common = set(self.names) & set(other.names)
        return [n for n in self.names if n in common] == [n for n in other.names if n in common]


def comparable_values(text: str) -> ComparableValues:
    """Return the values of a text that is NFKC-normalised."""
    plain = text.replace("’", "'")
    written = _WORD.findall(plain)
    words = [word.casefold() for word in written]
    told = [_NUMBER.get(word, word) for word in words if word in _NUMBER or _singular(word) in _TELLING]
    told += [numeral.replace(",", "") for numeral in _NUMERAL.findall(plain)]
    told += _HAN_VALUE.findall(plain)
    return ComparableValues(
        told=tuple(sorted(Counter(told).items())),
        negations=len(_NEGATION.findall(plain.casefold())),
        names=tuple(_bare(word) for word in written if word[:1].isupper() and len(word) > 1),
        words=frozenset(map(_bare, words)),
        opening=_bare(words[0]) if words else "",
    )


def _bare(word: str) -> str:
    return word.casefold().removesuffix("'s")


def _singular(word: str) -> str:
    return word if word in _TELLING else word.removesuffix("s")
