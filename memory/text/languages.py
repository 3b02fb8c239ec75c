"""Detection of a text's language by its script and its function words, and the word lists of each language.

English is the language of a text that no other one claims. The lists are data, `data/languages/*.txt`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ENGLISH = "en"
STEMMERS: Mapping[str, str] = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "pt": "portuguese",
    "it": "italian",
    "ru": "russian",
}
"""Languages with rules for stems, by their names in the package."""
_FOLDER = Path(__file__).parents[1] / "data" / "languages"
# Only from the beginning of a run, so that matching takes linear time.
_CYRILLIC = re.compile(r"(?<!\W)\W*+[\u0400-\u04ff]")
_BY_SCRIPT = (
    ("ru", _CYRILLIC),
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
)
# Letters and signs that only one of the languages has.
_OWN_SIGNS = {"ñ": "es", "¿": "es", "¡": "es", "ã": "pt", "õ": "pt", "œ": "fr", "ù": "fr"}
_WORD = re.compile(r"[^\W\d_]+")
_MARKS = re.compile("[\u0300-\u036f]")
_MOST_READ = 2_000
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
ENGLISH_STOP_WORDS = frozenset(_GRAMMAR.split())


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """The word lists of a language.

    `stops` are function words, `times` say when something is, `hints` only tell the language. `related` are
    lines of related words; data/concepts.txt explains them.
    """

    stops: frozenset[str]
    times: frozenset[str]
    hints: frozenset[str]
    related: tuple[str, ...]


@cache
def language_words(language: str) -> LanguageWords:
    """Return the lists of a language other than English."""
    lists: dict[str, frozenset[str]] = dict.fromkeys(("stop", "time", "hint"), frozenset())
    related = []
    for line in (_FOLDER / f"{language}.txt").read_text("utf-8").casefold().splitlines():
        name, _, words = line.partition(":")
        if name in lists:  # with and without accents, which many leave out in chats
            lists[name] = frozenset(words.split()) | frozenset(unaccented(words).split())
        elif line and not line.startswith("#"):
            related.append(line)
    return LanguageWords(lists["stop"], lists["time"], lists["hint"], tuple(related))


def stop_words(language: str) -> frozenset[str]:
    """Return the function words of a language."""
    return ENGLISH_STOP_WORDS if language == ENGLISH else language_words(language).stops


def detect_language(text: str) -> str:
    """Return the language of a casefolded text."""
    head = text[:_MOST_READ]
    counts: dict[str, int] = {}
    if not head.isascii():
        for language, script in _BY_SCRIPT:
            if script.search(head):
                return language
        counts.update((_OWN_SIGNS[sign], 1) for sign in _OWN_SIGNS.keys() & set(head))
    claims = _claims()
    for word in _WORD.findall(head):
        for language in claims.get(word, ()):
            counts[language] = counts.get(language, 0) + 1
    best = max(counts.values(), default=0)
    if counts.get(ENGLISH, 0) == best:
        return ENGLISH
    return min(each for each in counts if counts[each] == best)


@cache
def _claims() -> Mapping[str, tuple[str, ...]]:
    """Return the languages that each function word belongs to."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(ENGLISH_STOP_WORDS, (ENGLISH,))
    for language in STEMMERS.keys() - {ENGLISH, "ru"}:
        words = language_words(language)
        for word in words.stops | words.hints:
            found[word] = (*found.get(word, ()), language)
    return found


def unaccented(text: str) -> str:
    """Return Latin letters without their accents, and Russian ones as they are, but for "ё"."""
    if text.isascii() or _CYRILLIC.match(text):
        return text.replace("ё", "е")
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
