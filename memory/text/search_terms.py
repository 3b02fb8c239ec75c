"""Tokenization for search: stems of words; single and paired characters where no spaces are.

The script of each piece decides how it is cut, so that mixed texts work; the language of the text decides
how its words are stemmed. A word of another language has its English stem, too: a question of one word, whose
language nobody can tell, still finds it.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Protocol, cast

from parley.memory.text.languages import (
    ENGLISH,
    ENGLISH_STOP_WORDS,
    STEMMERS,
    detect_language,
    stop_words,
    unaccented,
)
from parley.memory.text.lazy_pattern import lazy_pattern

_KANA = "\u3040-\u30ff"
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HANGUL = "\uac00-\ud7a3"
# Thai and Lao, Burmese, Khmer.
_OTHERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED = _KANA + _HAN + _HANGUL + _OTHERS
"""Characters of scripts without spaces, as in a regular expression; indexed one by one and in pairs."""
_PIECE = lazy_pattern(rf"([{UNSPACED}]+)|(\d+(?:\.\d+)*)|([^\W\d_{UNSPACED}]+)")
_IS_UNSPACED = lazy_pattern(f"[{UNSPACED}]")
_POSSESSIVE = re.compile(r"['’]s\b")
# What French and Italian shorten before a vowel: "l'école", "dell'utente".
_ELIDED = lazy_pattern(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|un|(?:d|n|s)?[aeu]ll|quest|quell)['’](?=\w)")
_ELIDES = frozenset(("fr", "it"))
_SHORTENED = re.compile(r"['’](?=\w)")
_IS_KANA = lazy_pattern(f"[{_KANA}]")
_IS_HANGUL = lazy_pattern(f"[{_HANGUL}]")
_IS_CYRILLIC = re.compile("[\u0400-\u04ff]")

# Han function characters, simplified and traditional: alone they are no terms.
FUNCTION_CHARACTERS = frozenset(
    "的了着过吗呢吧啊呀哦嗯么我你您他她它们咱这那哪谁啥什怎是在有和与及或而且但就都也还又很太再才"
    "不没无把被给让向从对于为以之其所个些每会能可要想得地曾到说请這們嗎麼為與個沒過還著給讓對從於會"
    # Particles and endings of Korean.
    "은는이가을를에의도로와과서고다요까나죠니습합제저뭐예어떤무엇디"
)
# Endings and particles of Japanese.
_JAPANESE = """
    です ます した して ては って から まで など ない する こと もの たい よう とい いう てい いる いた
    すか まし ませ しょ ょう うか とは では には にい のは のが のを ので のに なの だっ った んで
    ある りま いま との どこ どの なに なん でし たち かな
"""
_GRAMMAR_PAIRS = frozenset(_JAPANESE.split())


class Stemmer(Protocol):
    """The part of a snowball stemmer that is used."""

    def stemWord(self, word: str) -> str:  # noqa: N802 - the package's name
        """Return the word's stem."""
        ...


# A stemmer keeps its current word as state: one thread at a time.
_one_at_a_time = threading.Lock()


@cache
def _stemmer(language: str) -> Stemmer:
    # Imported late: the package has rules of thirty languages (3 MB).
    from snowballstemmer import stemmer

    return cast("Stemmer", stemmer(language))


@lru_cache(maxsize=65536)
def stem(word: str, language: str = ENGLISH) -> str:
    """Return the stem of a lower-case word, without accents; Cyrillic letters go by Russian rules."""
    if _IS_CYRILLIC.match(word):
        language = "ru"
    # The rules of most languages look at accents; those of English know none.
    word = unaccented(word) if language in ("en", "ru") else unicodedata.normalize("NFC", word)
    stemmer = _stemmer(STEMMERS[language])
    with _one_at_a_time:
        return unaccented(stemmer.stemWord(word))


def has_unspaced(text: str) -> bool:
    """Return whether a text has characters of scripts without spaces."""
    return bool(_IS_UNSPACED.search(text))


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The words of a text: its language, and for each word the terms that stand for it, the first its own."""

    language: str
    words: tuple[tuple[str, ...], ...]


def terms(text: str) -> list[str]:
    """Return the terms of a text in its order, without stop words and lone function characters."""
    return [term for word in search_words(text).words for term in word]


def search_words(text: str) -> SearchWords:
    """Return the words of a text with their terms, without stop words and lone function characters."""
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text)
    folded = folded.casefold()
    language = detect_language(folded)
    if "'" in folded or "’" in folded:
        if language in _ELIDES:
            folded = _ELIDED.sub(" ", folded)
        folded = _SHORTENED.sub("", _POSSESSIVE.sub("", folded))
    return SearchWords(language, tuple(_words(folded, language)))


def _words(folded: str, language: str) -> Iterator[tuple[str, ...]]:
    stops = stop_words(language)
    # Text of scripts without spaces and Russian may have English words in it.
    latin = language if language in STEMMERS and language != "ru" else ENGLISH
    for unspaced, number, word in _PIECE.findall(folded):
        if unspaced:
            for gram in _grams(unspaced):
                yield (gram,)
        elif number:
            yield (number,)
        elif word not in stops and (latin != ENGLISH or word not in ENGLISH_STOP_WORDS):
            yield _stems(word, latin)


@lru_cache(maxsize=65536)
def _stems(word: str, language: str) -> tuple[str, ...]:
    plain = stem(word)
    own = plain if language == ENGLISH else stem(word, language)
    return (own,) if own == plain else (own, plain)


def _grams(run: str) -> Iterator[str]:
    """Yield each character that has a meaning of its own, and each pair with such a one."""
    for character in run if len(run) == 1 or not _IS_HANGUL.match(run) else run[:1] * (len(run) == 2):
        if character not in FUNCTION_CHARACTERS and (len(run) == 1 or not _IS_KANA.match(character)):
            yield character
    for first, second in pairwise(run):
        pair = first + second
        if (
            not (first in FUNCTION_CHARACTERS and second in FUNCTION_CHARACTERS)
            and pair not in _GRAMMAR_PAIRS
        ):
            yield pair


_CHAT = """
    hmm let think sound good great nice sure cool wow well right yeah yep nope alright fine perfect
    awesome really haha lol got know see tell go continue maybe agree true exactly course indeed bye later
    wait understand interesting
"""


@cache
def small_talk_terms() -> frozenset[str]:
    """Return the terms of small talk: a message of nothing else asks for nothing."""
    return frozenset(terms(_CHAT))
