"""Whether one text may stand for several: it keeps what they say, and says nothing else (pure).

Every number, time and name stays, and every negation; what is denied is never mixed with what is not. Words
may be inflected, and joined with "and". When in doubt the answer is no.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, pairwise

from parley.memory.edits.comparable_values import comparable_values
from parley.memory.edits.distinctive_terms import distinctive_terms
from parley.memory.text.lazy_pattern import lazy_pattern
from parley.memory.text.search_terms import FUNCTION_CHARACTERS, UNSPACED, search_words, terms

_NEGATION_WORDS = """
    not no never none nobody nothing neither nor without cannot hardly barely stopped quit dislike dislikes
    hate hates nicht kein keine keinen keinem keiner nie niemals ohne ne n pas jamais sans aucun aucune plus
    nunca jamás sin ningún ninguna não sem nenhum nenhuma non mai senza nessun nessuna не нет никогда без ни
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_NEGATED = lazy_pattern(r"[不没沒无無别別未非勿]|ない|ません|안 |못 |않|없|아니")
# What joins two statements, and says nothing by itself.
_JOINING_WORDS = """
    and also both a an the is are was has have who which that it its their user user's und auch der die das
    den ein eine ist et aussi le la les un une est qui y también el los e anche il lo o os и также
"""
_JOINING = frozenset(_JOINING_WORDS.split())
_JOINING_CHARACTERS = frozenset("和也并並且以及同时時还還有与與とも및그리고")
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LETTER = rf"[^\W\d_{UNSPACED}]"
_WORD = lazy_pattern(rf"(?:{_LETTER}|\d)+(?:['’.-](?:{_LETTER}|\d)+)*")
_CHARACTER = lazy_pattern(f"[{UNSPACED}]")
_SENTENCE_ENDS = ".!?:;\n"
_CLAUSE = lazy_pattern(r"[,;.:!?，；。：！？](?=\s|$)|[，；。：！？]|\b(?:and|und|et|y|e|и)\b")


def stands_for(text: str, sources: Sequence[str], share: float = 1.0) -> bool:
    """Return whether a text says what all sources say, and nothing else.

    Of plain words it may leave out some of each source, down to `share` of them; of names and numbers none.
    """
    plain = _normal(text)
    read = [_normal(source) for source in sources]
    return (
        all(_keeps(plain, source, share) for source in read)
        and _adds_nothing(plain, read)
        and _same_polarity(plain, read)
    )


def _normal(text: str) -> str:
    return _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).replace("’", "'"))


def _keeps(text: str, source: str, share: float) -> bool:
    if not (_values(source) <= _values(text) and _names(source) <= _words(text)):
        return False
    there = frozenset(terms(text))
    wanted = [
        word
        for word in search_words(source).words
        if word[0][0].isalpha()
        and not _CHARACTER.search(word[0])
        and not distinctive_terms(word[0]).isdisjoint(word)
    ]
    kept = sum(not there.isdisjoint(word) for word in wanted)
    characters = _characters(source)
    kept_characters = characters & _characters(text)
    return kept >= share * len(wanted) and len(kept_characters) >= share * len(characters)


def _adds_nothing(text: str, sources: Sequence[str]) -> bool:
    known = frozenset(chain.from_iterable(map(_words, sources)))
    stems = frozenset(chain.from_iterable(map(terms, sources)))
    new = (
        word
        for word in _words(text) - known - _JOINING
        if (found := terms(word)) == [] or stems.isdisjoint(found)
    )
    characters = _characters(text) - frozenset(chain.from_iterable(map(_characters, sources)))
    if any(new) or characters - _JOINING_CHARACTERS:
        return False
    if not _values(text) <= frozenset(chain.from_iterable(map(_values, sources))):
        return False
    orders = [_sequence(source) for source in sources]
    return all(
        any(_follows(order, one, two) for order in orders)
        for clause in _CLAUSE.split(text)
        for one, two in pairwise(_sequence(clause))
    )


def _same_polarity(text: str, sources: Sequence[str]) -> bool:
    """Return whether a text denies as its sources do, which deny all or none of them."""
    counts = [_negations(source) for source in sources]
    if not any(counts):
        return _negations(text) == 0
    return all(counts) and max(counts) <= _negations(text) <= sum(counts)


def _negations(text: str) -> int:
    words = sum(word in _NEGATIONS or word.endswith("n't") for word in _spelled(text))
    return words + len(_NEGATED.findall(text))


def _values(text: str) -> frozenset[str]:
    """Return the numbers of a text, and its words of number, time and order."""
    told = (value for value, _ in comparable_values(text).told)
    numbers = (part for number in _NUMBER.findall(text) for part in (number, *re.split("[:/-]", number)))
    return frozenset((*told, *numbers))


def _names(text: str) -> frozenset[str]:
    """Return the words with a capital letter, or digits among letters, but those that begin a sentence."""
    found = set[str]()
    for match in _WORD.finditer(text):
        word = match[0]
        begins = text[: match.start()].rstrip(" \"'(*_-“«")[-1:] in ("", *_SENTENCE_ENDS)
        marked = word != word.lower() or any(map(str.isdigit, word))
        if not any(map(str.isalpha, word)) or not marked:
            continue
        # A sentence may begin with a name, too: only the most common words are certain to be none.
        if not begins or distinctive_terms(word):
            found.add(_bare(word))
    return frozenset(found) - _JOINING


def _sequence(text: str) -> list[str]:
    """Return names and numbers in their order."""
    names = _names(text)
    return [word for word in _spelled(text) if word in names or word.isdigit()]


def _follows(order: Sequence[str], one: str, two: str) -> bool:
    return one == two or (one in order and two in order[order.index(one) :])


def _words(text: str) -> frozenset[str]:
    return frozenset(_spelled(text))


def _spelled(text: str) -> Iterator[str]:
    return (_bare(word) for word in _WORD.findall(text))


def _bare(word: str) -> str:
    return word.casefold().removesuffix("'s")


def _characters(text: str) -> frozenset[str]:
    return frozenset(_CHARACTER.findall(text)) - _function_characters()


@cache
def _function_characters() -> frozenset[str]:
    # A negation is none of them here.
    return FUNCTION_CHARACTERS - frozenset("不没沒")
