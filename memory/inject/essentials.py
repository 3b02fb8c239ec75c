"""The few facts that always matter: name, language, standing instructions, and what could do harm."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parley.memory.model.document import Category, Fact
from parley.memory.search.ranked_facts import RankedFacts, ranked_facts

ESSENTIAL_TOKENS = 300
"""Tokens of a block for a message that concerns nothing that is remembered."""

_ESSENTIAL = re.compile(
    r"\bname(?:s|d)?\b|\bcalled\b|\bpronouns?\b|\b(?:native )?language\b|\bspeaks\b|\btime ?zone\b"
    r"|\b(?:answers?|replies|responses|explanations|summaries|units)\b|\balways\b|\bnever\b"
    r"|\ballerg(?:y|ic|ies)\b|\bintoleran(?:t|ce)\b|\bdiabet(?:es|ic)\b|\bblind\b|\bdeaf\b|\bvegan\b|\bvegetarian\b"
    r"|用户叫|名字|称呼|语言|語言|中文|英文|回答|回复|总是|從不|从不|过敏|過敏|时区"
    r"|\bheißt\b|\bsprache\b|\bantworten\b|\ballergisch\b|\bs'appelle\b|\blangue\b|\bréponses\b|\ballergique\b"
    r"|\bse llama\b|\bidioma\b|\brespuestas\b|\balérgic[oa]\b|зовут|язык|ответы|аллерги"
    r"|名前|言語|アレルギー|이름|언어|알레르기",
    re.IGNORECASE,
)
_MOST_READ = 300
_ALWAYS = (Category.CORRECTION, Category.INSTRUCTION)


def is_essential(fact: Fact) -> bool:
    """Return whether a fact matters whatever is talked about; what is past or about others does not."""
    if fact.until or fact.subject:
        return False
    return fact.category in _ALWAYS or bool(_ESSENTIAL.search(fact.content[:_MOST_READ]))


def essentials_first(ranked: RankedFacts, resting: Sequence[Fact]) -> RankedFacts:
    """Return the facts, those first that always matter; otherwise in their order.

    `resting` are those of the resting facts that always matter.
    """
    best = sorted(ranked.best, key=lambda fact: not is_essential(fact))
    place = sum(map(is_essential, best))
    best[place:place] = [fact for fact in resting if id(fact) not in ranked.found]
    return ranked_facts(best, ranked.resting, ranked.kinds)
