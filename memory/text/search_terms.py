"""Tokenization for search: stems of words; single and paired characters where no spaces are.

The script of each piece decides, not the language of the text, so that mixed texts work.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Protocol, cast

_KANA = "\u3040-\u30ff"
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HANGUL = "\uac00-\ud7a3"
# Thai and Lao, Burmese, Khmer.
_OTHERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
UNSPACED = _KANA + _HAN + _HANGUL + _OTHERS
"""Characters of scripts without spaces, as in a regular expression; indexed one by one and in pairs."""
_PIECE = re.compile(rf"([{UNSPACED}]+)|(\d+(?:\.\d+)*)|([^\W\d_{UNSPACED}]+)")
_POSSESSIVE = re.compile(r"['’]s\b")
_SHORTENED = re.compile(r"['’](?=\w)")
_MARKS = re.compile("[\u0300-\u036f]")
_IS_KANA = re.compile(f"[{_KANA}]")
_IS_CYRILLIC = re.compile("[\u0400-\u04ff]")

_GRAMMAR = """
    a an the this that these those some any each every other another such own same
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
    she her hers herself it its itself they them their theirs themselves one
    am is are was were be been being do does did doing done have has had having
    will would shall should can could may might must ought
    im ive ill id youre youve youll youd hes shes theyre theyve weve wed theyd thats whats lets
    isnt arent wasnt werent dont doesnt didnt wont wouldnt cant couldnt shouldnt hasnt havent hadnt
    of at by for with about against between into through during to from in out on off over under
    up down as than then there here and but or nor if because while until so too very just only
    not no yes also both all more most much many few what which who whom whose when where why how
    s t d ll m re ve o ok okay oh ah hey hi hello please thanks thank
"""
STOP_WORDS = frozenset(_GRAMMAR.split())

# Han function characters, simplified and traditional: alone they are no terms.
FUNCTION_CHARACTERS = frozenset(
    "的了着过吗呢吧啊呀哦嗯么我你您他她它们咱这那哪谁啥什怎是在有和与及或而且但就都也还又很太再才"
    "不没无把被给让向从对于为以之其所个些每会能可要想得地曾到说请這們嗎麼為與個沒過還著給讓對從於會"
)


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
def stem(word: str) -> str:
    """Return the stem of a lower-case word: by Russian rules for Cyrillic letters, else by English ones."""
    if not word.isascii():
        word = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", word)))
    stemmer = _stemmer("russian" if _IS_CYRILLIC.match(word) else "english")
    with _one_at_a_time:
        return stemmer.stemWord(word)


def terms(text: str) -> list[str]:
    """Return the terms of a text in its order, without stop words and lone function characters."""
    return list(_terms(text))


def _terms(text: str) -> Iterator[str]:
    folded = text if text.isascii() else unicodedata.normalize("NFKC", text)
    folded = folded.casefold()
    if "'" in folded or "’" in folded:
        folded = _SHORTENED.sub("", _POSSESSIVE.sub("", folded))
    for unspaced, number, word in _PIECE.findall(folded):
        if unspaced:
            yield from _grams(unspaced)
        elif number:
            yield number
        elif word not in STOP_WORDS:
            yield stem(word)


def _grams(run: str) -> Iterator[str]:
    """Yield each character that has a meaning of its own, and each pair with such a one."""
    for character in run:
        if character not in FUNCTION_CHARACTERS and (len(run) == 1 or not _IS_KANA.match(character)):
            yield character
    for first, second in pairwise(run):
        if not (first in FUNCTION_CHARACTERS and second in FUNCTION_CHARACTERS):
            yield first + second


_CHAT = """
    hmm let think sound good great nice sure cool wow well right yeah yep nope alright fine perfect
    awesome really haha lol got know see tell go continue maybe agree true exactly course indeed bye later
    wait understand interesting
"""


@cache
def small_talk_terms() -> frozenset[str]:
    """Return the terms of small talk: a message of nothing else asks for nothing."""
    return frozenset(terms(_CHAT))
