"""Plain statements about oneself in ten languages, read by the patterns of `prompts/statements.yaml`.

They are read literally and seldom: a message that may be anything but plain words about its author teaches
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from parley.memory.model.document import Category
from parley.memory.search.date_terms import without_days, written_days
from parley.memory.text.languages import STEMMERS, stop_words
from parley.memory.text.search_terms import has_unspaced
from parley.memory.text.strict_yaml import read_yaml

_LONGEST_MESSAGE = 300
_UNPLAIN = re.compile(r"[\"“”„«»「」『』`<>{}=:：*#|\n]")
_PLACE_OF = re.compile(r"\{(\w+)\}")
_PREFIX = 4
_JOINS = "and|but|und|aber|et|mais|y|pero|e|mas|ma|и|а"
_SELF = (
    r"i(?:'m)?|my|ich|mein|je|j'\w+|mon|me|mi|vivo|soy|trabajo|odio|eu|meu|moro|gosto|il mio|abito|lavoro"
    r"|sono|я|мой|меня|у меня"
)
# Only from the first of several blanks, so that matching takes linear time.
_CLAUSE = re.compile(
    rf"(?<!\s),?\s++(?:{_JOINS})\s++(?=(?:{_SELF})\b)|,\s++(?=(?:{_SELF})\b)|[，,、](?=我)", re.IGNORECASE
)
_ARTICLE_WORDS = "the den der die la le les los las el o a os as il"
_ARTICLES = frozenset(_ARTICLE_WORDS.split())
_NAME_WORDS = "of de do da dos del di am an sur upon y и на"
_WITHIN_NAMES = _ARTICLES | frozenset(_NAME_WORDS.split())
_THING_WORDS = "and with of und mit et avec de du y con e com di и с"
_WITHIN_THINGS = frozenset(_THING_WORDS.split())
_MOST_WORDS = 4
_LONGEST_UNSPACED = {"name": 8, "place": 8, "thing": 8}
_NO_NAME = re.compile("^[了他她你您它人车外醒到不什]|[的吗呢]|まだ|秘密|아직|비밀")
_NO_PLACE = re.compile("[这那哪的了里家你他她店]|朋友|学校|宿舍|ここ|そこ|実家|여기|거기|집")
_WORD = re.compile(r"[^\W\d_][^\W\d_]*(?:['’.-][^\W\d_]+)*\.?")


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A fact that somebody stated about themselves."""

    content: str
    category: Category


@dataclass(frozen=True, slots=True)
class StatementRule:
    """A form of a statement, the fact that it becomes, and of which kind its blanks are."""

    pattern: re.Pattern[str]
    content: str
    kinds: Mapping[str, str]
    category: Category


@dataclass(frozen=True, slots=True)
class StatementLanguage:
    """The rules of a language; `never` and `vague` find words with which nothing is learned."""

    code: str
    greeting: re.Pattern[str]
    never: re.Pattern[str]
    vague: re.Pattern[str]
    rules: tuple[StatementRule, ...]


def read_statements(message: str, sentences: Iterator[str]) -> list[StatedFact]:
    """Return what the sentences of a short, plain message state, clause by clause."""
    if len(message) > _LONGEST_MESSAGE or _UNPLAIN.search(message.strip()):
        return []
    plain = message.replace("’", "'")
    languages = [each for each in load_statements() if not each.never.search(plain)]
    found: list[StatedFact] = []
    for sentence in sentences:
        said = sentence.replace("’", "'")
        for language in languages:
            said = language.greeting.sub("", said, count=1) if language.greeting.match(said) else said
        clauses = [clause.strip(" ,，、") for clause in _CLAUSE.split(said)]
        stated = [_statement(clause, languages) for clause in clauses]
        if all(stated):
            found += [each for each in stated if each is not None]
    return found


def _statement(clause: str, languages: list[StatementLanguage]) -> StatedFact | None:
    for language in languages:
        for rule in language.rules:
            match = rule.pattern.fullmatch(clause)
            if match is None:
                continue
            values = {name: value.strip(" ,.!") for name, value in match.groupdict().items()}
            if all(_FITS[kind](values[name], language) for name, kind in rule.kinds.items()):
                return StatedFact(rule.content.format(**values), rule.category)
    return None


def _is_name(value: str, language: StatementLanguage) -> bool:
    if has_unspaced(value):
        return " " not in value and len(value) <= _LONGEST_UNSPACED["name"] and not _NO_NAME.search(value)
    words = value.split()
    return 0 < len(words) < _MOST_WORDS and all(_WORD.fullmatch(word) and word[0].isupper() for word in words)


def _is_place(value: str, language: StatementLanguage) -> bool:
    if has_unspaced(value):
        short = 1 < len(value) <= _LONGEST_UNSPACED["place"]
        return short and not _NO_PLACE.search(value) and not language.vague.search(value)
    words = [word.strip(",") for word in value.split()]
    if words and words[0] in _ARTICLES:
        words = words[1:]
    return (
        0 < len(words) <= _MOST_WORDS
        and words[0][:1].isupper()
        and words[-1][:1].isupper()
        and all(word in _WITHIN_NAMES or (word[:1].isupper() and _WORD.fullmatch(word)) for word in words)
        and not language.vague.search(value)
    )


def _is_job(value: str, language: StatementLanguage) -> bool:
    words = value.split()
    return 0 < len(words) < _MOST_WORDS and all(
        _WORD.fullmatch(word) and word.casefold() not in stop_words(language.code) for word in words
    )


def _is_date(value: str, language: StatementLanguage) -> bool:
    days = [term for term in written_days(value) if term.count("-") > 1 and term.startswith("#-")]
    rest = without_days(value).replace("года", "").strip(" ,.")
    return bool(days) and not rest


def _is_thing(value: str, language: StatementLanguage) -> bool:
    if language.vague.search(value) or any(char.isdigit() for char in value):
        return False
    if has_unspaced(value):
        return len(value) <= _LONGEST_UNSPACED["thing"] and value.count(" ") < _MOST_WORDS - 2
    words = value.split()
    plain = [word for word in words if word.casefold() not in _WITHIN_THINGS]
    return (
        0 < len(words) <= _MOST_WORDS
        and all(_WORD.fullmatch(word) and word.casefold() not in stop_words(language.code) for word in plain)
        and words[0] in plain
        and words[-1] in plain
    )


_FITS: Mapping[str, Callable[[str, StatementLanguage], bool]] = {
    "name": _is_name,
    "place": _is_place,
    "job": _is_job,
    "date": _is_date,
    "thing": _is_thing,
}


@cache
def load_statements() -> tuple[StatementLanguage, ...]:
    """Return the rules of all languages, those of English first."""
    from parley.memory.learning.extraction.prompts import DEFAULT_FOLDER

    tree: Any = read_yaml((DEFAULT_FOLDER / "statements.yaml").read_text("utf-8"))
    del tree["version"]
    return tuple(
        StatementLanguage(
            code,
            re.compile(given["before"], re.IGNORECASE),
            _any_of(given["never"], code),
            _any_of(given["vague"], code),
            tuple(
                _rule(pattern, content, category)
                for category in Category
                for pattern, content in given.get(category.value, ())
            ),
        )
        for code, given in tree.items()
    )


def _any_of(words: str, language: str) -> re.Pattern[str]:
    """Return a pattern of words: of a language with spaces those of four letters and more may go on."""
    if language not in STEMMERS:
        return re.compile("|".join(map(re.escape, words.split())))
    parts = (rf"{re.escape(word)}{'' if len(word) >= _PREFIX else chr(92) + 'b'}" for word in words.split())
    return re.compile(rf"\b(?:{'|'.join(parts)})", re.IGNORECASE)


def _rule(pattern: str, content: str, category: Category) -> StatementRule:
    names = _PLACE_OF.findall(pattern)
    compiled = _PLACE_OF.sub(r"(?P<\1>.{1,60}?)", pattern)
    kinds = {name: name.rstrip("2") for name in names}
    return StatementRule(re.compile(compiled, re.IGNORECASE), content, kinds, category)
