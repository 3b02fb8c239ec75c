"""What holds and what held before: contradictions are settled by time, and nothing is lost by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from parley.memory.edits.comparable_values import comparable_values
from parley.memory.model.document import Category, Fact
from parley.memory.search.date_terms import without_days
from parley.memory.text.instructions import is_same_matter
from parley.memory.text.search_terms import terms

# What a person has one of at a time: the words around the value, in the languages in which facts are written.
_SINGLE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"(user(?:'s|’s) name is|user is called|用户叫|用户的名字是|nutzer heißt|l'utilisateur s'appelle"
            r"|el usuario se llama|o usuário se chama|l'utente si chiama|пользователя зовут|ユーザーの名前は"
            r"|사용자의 이름은)\s*(.+)"
        ),
        (
            r"(user (?:now )?(?:lives|resides) in|user moved to|用户(?:现在)?住在|用户搬到了?"
            r"|nutzer(?:in)? wohnt in"
            r"|l'utilisat(?:eur|rice) (?:habite|vit) à|(?:el|la) usuari[oa] vive en)\s*(.+)"
        ),
        r"(user (?:now )?works (?:at or as|at|for)|用户在(?=.{1,60}工作))\s*(.+)",
        r"(user(?:'s|’s) birthday is|用户的生日是)\s*(.+)",
        r"(user is)\s*(\d{1,3} years old)",
        r"(user(?:'s|’s) (?:e-?mail(?: address)?|phone(?: number)?|job|employer|address|boss) is)\s*(.+)",
        r"(user(?:'s|’s) favou?rite [\w ]{1,30}? is)\s*(.+)",
    )
)
# Those of the patterns whose words say what it is.
_NAMED = (len(_SINGLE) - 2, len(_SINGLE) - 1)
# Things that happened may well differ in a number or a day; what is, or is liked, does not.
_HAPPENED = re.compile(
    r"\b\w+ed\b|\b(?:was|were|went|ran|had|met|bought|saw|got|did|made|won|lost|began)\b|了|过"
)
_MOST_READ = 300
# Facts that may contradict a later one and hold all the same, such as those that people wrote themselves.
_MOST_COMPARED = 20


def end_fact(fact: Fact, at: str) -> Fact:
    """Return the fact as one that held until `at`."""
    return fact if fact.until else replace(fact, until=at)


def settle_by_time(facts: Sequence[Fact], new: Fact) -> list[Fact]:
    """Return those of `facts` that `new` contradicts, as past.

    Only what was said before it, and in the same place; what the person wrote themselves stays, unless they
    wrote the new one too.
    """
    return [
        end_fact(old, new.created_at)
        for old in facts
        if old.id != new.id
        and not old.until
        and old.shared == new.shared
        and (new.manual or not old.manual)
        and old.last_said <= new.created_at
        and contradict(old, new)
    ]


def settle_older(facts: Sequence[Fact], keys: dict[str, str]) -> tuple[Fact, ...]:
    """Return all facts, each that a later one contradicts as past: those of memories from before facts ended.

    `keys` caches what facts may contradict in, by content. The same tuple where there is nothing to settle.
    """
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        if not fact.until:
            if fact.content not in keys:
                keys[fact.content] = _contradiction_key(fact.content[:_MOST_READ])
            groups.setdefault(f"{keys[fact.content]}\n{fact.subject.casefold()}", []).append(fact)
    ended: dict[str, Fact] = {}
    for group in groups.values():
        live: list[Fact] = []
        for new in sorted(group, key=_said_first):
            past = {each.id: each for each in settle_by_time(live[-_MOST_COMPARED:], new)}
            ended |= past
            live = [old for old in live if old.id not in past] if past else live
            live.append(new)
    return tuple(ended.get(fact.id, fact) for fact in facts) if ended else tuple(facts)


def _said_first(fact: Fact) -> str:
    return fact.created_at


def _contradiction_key(text: str) -> str:
    """Return what two contents that contradict have in common: the thing, or the words."""
    thing, _ = _single(text)
    return thing or " ".join(["", *_plain_terms(text)])


def contradict(old: Fact, new: Fact) -> bool:
    """Return whether two facts cannot both hold now: another value of what there is one of, or the same
    words with another number or with a negation.
    """
    if old.subject.casefold() != new.subject.casefold():
        return False
    one, two = old.content[:_MOST_READ], new.content[:_MOST_READ]
    if old.category == new.category == Category.INSTRUCTION:
        negated = comparable_values(one).negations or comparable_values(two).negations
        return _differ_in_value(one, two) or (not negated and is_same_matter(one, two))
    thing, value = _single(one)
    if thing:
        other, other_value = _single(two)
        return thing == other and value != other_value
    return _differ_in_value(one, two)


def _single(text: str) -> tuple[str, str]:
    """Return what a person has one of, and its value; empty for anything else."""
    for place, pattern in enumerate(_SINGLE):
        if found := pattern.match(text):
            named = found[1].casefold() if place in _NAMED else ""
            return f"{place} {named}", " ".join(terms(found[2]))
    return "", ""


def _differ_in_value(one: str, two: str) -> bool:
    if _may_happen_again(one) or _may_happen_again(two):
        return False
    ours, theirs = comparable_values(one), comparable_values(two)
    same_words = _plain_terms(one) == _plain_terms(two)
    return same_words and (ours.told != theirs.told or ours.negations != theirs.negations)


# Each fact is compared with up to 20 others.
@lru_cache(maxsize=4096)
def _may_happen_again(text: str) -> bool:
    return bool(_HAPPENED.search(text)) or without_days(text) != text


def _plain_terms(text: str) -> list[str]:
    return [term for term in terms(text) if not term[0].isdigit()]
