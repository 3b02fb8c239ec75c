"""Query parsing: weighted terms of a conversation, the newest message with the most weight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from parley.memory.search.date_terms import written_days
from parley.memory.search.postings import Postings
from parley.memory.search.synonyms import related_terms
from parley.memory.text.search_terms import search_words, small_talk_terms
from parley.memory.text.smalltalk import says_nothing

# Weight of a message by its age. A newer message ages older ones only as far as it says something itself:
# a full step when the rarities of its terms add up to `_SAYS_ENOUGH`. "And hers?" hardly ages the question.
_FADING = 0.2
_SAYS_ENOUGH = 7.0
_FADED = 0.005
# A term that no fact holds weighs half as much as a rare one that some hold.
_UNKNOWN = 0.5
# A date is more specific than its rarity shows.
_DATE = 2.0
# Weight of expanded terms: of the same family, or related; general words of special ones have less.
_AKIN = 0.4
_WORTH_READING = 2000
_WHEN = re.compile(
    r"\bwhen\b|\bhow (?:long|old|recently)\b|\b(?:what|which) (?:time|day|date|week|month|year)\b"
    r"|什么时候|何时|几时|几号|哪天|哪年|多久|几月|哪一天|哪一年|什麼時候",
    re.IGNORECASE,
)

_WHEN_ELSEWHERE = {
    language: re.compile(pattern, re.IGNORECASE)
    for language, pattern in {
        "de": r"\b(?:wann|wie (?:lange|alt)|wie viel uhr|welche[mnrs]? (?:tag|datum|monat|jahr|uhrzeit))\b",
        "fr": r"\b(?:quand|depuis combien|quel(?:le)? (?:âge|jour|date|mois|année|heure))\b",
        "es": r"\b(?:cuándo|cuánto tiempo|qué (?:día|fecha|mes|año|hora))\b",
        "pt": r"\b(?:quando|há quanto tempo|que (?:dia|data|mês|ano|horas?))\b",
        "it": r"\b(?:quando|da quanto tempo|che (?:giorno|data|mese|anno|ora))\b",
        "ru": r"\b(?:когда|как давно|сколько лет|в каком (?:году|месяце)|какого числа|во сколько)\b",
        "ja": r"いつ|何時|何日|何月|何年|何曜日|どのくらい",
        "ko": r"언제|몇 ?(?:시|일|월|년|살)|얼마나 오래",
    }.items()
}


_BEFORE = re.compile(
    r"\b(?:before|formerly|previous(?:ly)?|used to|in the past|back then|no longer|anymore|any more)\b"
    r"|以前|之前|曾经|曾經|过去|過去|原来|原先|从前|昔|예전|이전|전에"
    r"|\b(?:früher|vorher|damals|ehemalig\w*|avant|auparavant|autrefois|antes|anterior(?:mente)?|antigamente|prima"
    r"|in passato|раньше|прежде|ранее)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """Weighted terms, the names in the newest message that says anything, and whether it asks for a time, or
    for what held before.
    """

    weights: dict[str, float]
    named: frozenset[str]
    asks_when: bool
    asks_before: bool = False


def parse_query(messages: Sequence[str], postings: Postings) -> Query:
    """Return the query of these messages (oldest first) for facts with these terms."""
    weights: dict[str, float] = {}
    named: frozenset[str] = frozenset()
    asks_when = asks_before = False
    age = 0.0
    for message in reversed(messages):
        fade = _FADING**age
        if fade < _FADED:
            break
        text = _readable(message)
        read = search_words(text)
        said = dict.fromkeys([*(term for word in read.words for term in word), *written_days(text)])
        if not said or (len(messages) > 1 and _asks_nothing(text, said)):
            continue
        if not named:
            named, asks_when = frozenset(said), _asks_when(text, read.language)
            asks_before = bool(_BEFORE.search(text))
            _add(weights, _akin(named, read.language, postings))
        _add(weights, {term: fade * _weight(term, postings) for term in said})
        age += min(1.0, _mass(said, postings) / _SAYS_ENOUGH)
    return Query(weights, named, asks_when, asks_before)


@dataclass(frozen=True, slots=True)
class TermGroup:
    """One word of a text: the terms of facts that answer it, itself or a related one, and how rare it is."""

    word: str
    terms: frozenset[str]
    rarity: float


def term_groups(message: str, postings: Postings) -> list[TermGroup]:
    """Return the words of a message, also those that no fact answers; none where it asks for nothing."""
    text = _readable(message)
    read = search_words(text)
    words = dict.fromkeys([*read.words, *((day,) for day in written_days(text))])
    if _asks_nothing(text, dict.fromkeys(term for word in words for term in word)):
        return []
    found = []
    for word, *others in words:
        said = (word, *others)
        related = {*said, *(akin for term in said for akin in _answers(term, read.language, postings))}
        known = frozenset(postings.known(related))
        found.append(TermGroup(word, known, max(map(postings.rarity, known or {word}))))
    return found


def _asks_when(text: str, language: str) -> bool:
    elsewhere = _WHEN_ELSEWHERE.get(language)
    return bool(_WHEN.search(text)) or bool(elsewhere and elsewhere.search(text))


def _asks_nothing(text: str, said: dict[str, None]) -> bool:
    return small_talk_terms().issuperset(said) or says_nothing(text)


def _readable(message: str) -> str:
    """Return beginning and end of a text too long to have been typed."""
    if len(message) <= 2 * _WORTH_READING:
        return message
    return f"{message[:_WORTH_READING]} {message[-_WORTH_READING:]}"


def _add(weights: dict[str, float], more: dict[str, float]) -> None:
    for term, weight in more.items():
        weights[term] = weights.get(term, 0.0) + weight


def _weight(term: str, postings: Postings) -> float:
    return postings.rarity(term) * (_DATE if term.startswith("#") else 1.0)


def _mass(said: dict[str, None], postings: Postings) -> float:
    return sum(postings.rarity(term) * (1.0 if term in postings else _UNKNOWN) for term in said)


def _akin(said: frozenset[str], language: str, postings: Postings) -> dict[str, float]:
    akin: dict[str, float] = {}
    for term in said:
        rarity = postings.rarity(term)
        for other, share in _relatives(term, language, postings).items():
            if other not in said:
                weight = _AKIN * share * min(rarity, postings.rarity(other))
                akin[other] = max(akin.get(other, 0.0), weight)
    return akin


def _relatives(term: str, language: str, postings: Postings) -> Mapping[str, float]:
    """Return the terms of facts that begin alike, and related ones, each with what it counts."""
    related = related_terms(term, language)
    found = {other: related[other] for other in postings.known(related.keys())}
    found.update(dict.fromkeys(postings.family(term), 1.0))
    return found


def _answers(term: str, language: str, postings: Postings) -> Iterator[str]:
    """Yield the terms that name what this one asks for, or a kind of it: "dog" for "pet", not the reverse."""
    return (other for other, share in _relatives(term, language, postings).items() if share >= 1.0)
