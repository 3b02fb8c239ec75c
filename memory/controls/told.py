"""Why facts were told to the agent: their lines were in the block, and share words with a message (pure)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from parley.core.ports.memory.controls import ToldFact, ToldMemory, ToldReason
from parley.memory.admin import fact_view
from parley.memory.inject.essentials import is_essential
from parley.memory.model.document import Category, Fact
from parley.memory.text.search_terms import terms
from parley.memory.told_lines import line_digest

_MOST_WORDS = 3
_MOST_READ = 4_000


def explain_told(
    facts: Sequence[Fact], line: Callable[[Fact], str], lines: Sequence[str], messages: Sequence[str]
) -> ToldMemory:
    """Return what of `facts` had one of these digests as its line, in the order of the lines."""
    found = {line_digest(line(fact)): fact for fact in facts}
    words = _words_by_term(messages)
    told = [_explained(found[digest], words) for digest in lines if digest in found]
    return ToldMemory(tuple(told), len(lines) - len(told))


def _explained(fact: Fact, words: dict[str, str]) -> ToldFact:
    shared = dict.fromkeys(words[term] for term in terms(fact.content) if term in words)
    if shared:
        return ToldFact(fact_view(fact), ToldReason.WORDS, tuple(shared)[:_MOST_WORDS])
    if fact.category == Category.CORRECTION:
        return ToldFact(fact_view(fact), ToldReason.CORRECTION)
    return ToldFact(fact_view(fact), ToldReason.ALWAYS if is_essential(fact) else ToldReason.SURE)


def _words_by_term(messages: Sequence[str]) -> dict[str, str]:
    """Return the words of the person by the terms that a search makes of them."""
    found: dict[str, str] = {}
    for message in messages:
        for word in message[:_MOST_READ].split():
            made = terms(word)
            found |= {term: word.strip(".,;:!?\"'()") if len(made) == 1 else term for term in made}
    return found
