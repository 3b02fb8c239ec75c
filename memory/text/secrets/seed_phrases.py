"""Seed phrases of wallets: 12 to 24 words of a list of BIP-39, of which the last holds a checksum."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256

_LENGTHS = (12, 15, 18, 21, 24)
# Letters, with accents that may be characters of their own.
_WORD = re.compile(r"(?:[^\W\d_][\u0300-\u036f\u3099\u309a]{0,3})+")
# Between two words: spaces, a comma, or the number of the next one.
_GAP = re.compile(r"(?:\s{1,4}|[,;，、]\s{0,4})(?:[-*]\s{1,3}|\(?\d{1,2}[.):]?\s{1,3})?")
_LONGEST_GAP = 12
# One who says what it is need not have said it without a mistake.
_SAID = re.compile(
    r"seed|mnemonic|bip-?39|(?:recovery|backup|secret|wallet) (?:phrase|words)|助记词|助記詞|시드|니모닉"
    r"|シード|фраз|wiederherstellungs|frase (?:de|semilla)"
    r"|phrase (?:de|secr)|frase-semente|frase di recupero",
    re.IGNORECASE,
)
_AHEAD = 60
_MOST_CUT = 3


def find_seed_phrases(text: str) -> list[tuple[int, int]]:
    """Return where seed phrases begin and end in a text."""
    # As many words in a row have one at a place that this divides.
    step = _LENGTHS[0]
    if not any(_plain(word) in _lists() for word in _WORD.findall(text)[step - 1 :: step]):
        return []
    return [(run[0].start(), run[-1].end()) for run in _runs(text) if _is_phrase(text, run)]


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield words that follow each other in a text and stand in the same list."""
    run, shared = list[re.Match[str]](), frozenset[str]()
    lists = _lists()
    for found in _WORD.finditer(text):
        own = lists.get(_plain(found[0]), frozenset())
        together = shared & own if run and _is_gap(text[run[-1].end() : found.start()]) else frozenset()
        if together:
            run.append(found)
        else:
            yield run
            run = [found] if own else []
        shared = together or own
    yield run


def _is_gap(between: str) -> bool:
    return len(between) <= _LONGEST_GAP and bool(_GAP.fullmatch(between))


def _is_phrase(text: str, run: Sequence[re.Match[str]]) -> bool:
    if len(run) < _LENGTHS[0]:
        return False
    begin = run[0].start()
    if _SAID.search(text[max(begin - _AHEAD, 0) : begin + _AHEAD]):
        return True
    words = [_plain(found[0]) for found in run]
    cuts = range(_MOST_CUT + 1)
    return any(_has_checksum(words[cut:]) or _has_checksum(words[: len(words) - cut]) for cut in cuts)


def _has_checksum(words: Sequence[str]) -> bool:
    return len(words) in _LENGTHS and any(
        _checksum_fits([index[word] for word in words])
        for index in _indexes().values()
        if all(word in index for word in words)
    )


def _checksum_fits(places: Sequence[int]) -> bool:
    """Return whether the last bits, one for 32 others, are the first of the hash of the others."""
    bits = 0
    for place in places:
        bits = bits << 11 | place
    length = len(places) // 3
    entropy = (bits >> length).to_bytes(length * 4)
    return sha256(entropy).digest()[0] >> 8 - length == bits & (1 << length) - 1


def _plain(word: str) -> str:
    return word.casefold() if word.isascii() else unicodedata.normalize("NFKD", word.casefold())


@cache
def _indexes() -> dict[str, dict[str, int]]:
    """Return the place of each word in the list of each language."""
    # Loaded when a text first has as many words.
    from mnemonic import Mnemonic

    lists = {language: Mnemonic(language).wordlist for language in Mnemonic.list_languages()}
    return {
        language: {_plain(word): place for place, word in enumerate(words)}
        for language, words in lists.items()
    }


@cache
def _lists() -> dict[str, frozenset[str]]:
    """Return the languages that have a word in their list."""
    found = dict[str, frozenset[str]]()
    for language, index in _indexes().items():
        found |= {word: found.get(word, frozenset()) | {language} for word in index}
    return found
