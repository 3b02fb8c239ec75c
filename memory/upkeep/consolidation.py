"""Consolidation with a model: facts that say nearly the same become one that says all of it (pure).

The model proposes, and what it proposes is checked (`memory/upkeep/soundness.py`): every word, number and
name of the facts that it replaces stays, and nothing else is added. What fails is left as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from parley.memory.edits.fact_merge import accounts_of
from parley.memory.edits.history import replace_document
from parley.memory.edits.normalise import MOST_OF_FACT, clean_keywords, one_line
from parley.memory.edits.similarity import Similarity, nearest_facts
from parley.memory.edits.summaries import MOST_OF_SUMMARY, rewrite_summary
from parley.memory.learning.extraction.diff import Diff, ProposedFact, Relation
from parley.memory.learning.extraction.extractor import render_fact, summary_lines
from parley.memory.learning.screening import screen_diff
from parley.memory.model.document import Category, Fact, StoredMemory, Summaries, Summary
from parley.memory.search.index import FactIndex
from parley.memory.upkeep.duplicates import MOST_COMPARED, join_facts, may_join
from parley.memory.upkeep.soundness import stands_for

_MOST_GROUPS, _MOST_IN_GROUP = 8, 5
_WORDS_KEPT = 0.8
RECENT, EARLIER = "recentMonths", "earlierContext"
"""The topics of summaries that a model may move from one to the other."""
_OWN_KIND = (Category.CORRECTION, Category.INSTRUCTION)


@dataclass(frozen=True, slots=True)
class UpkeepMaterial:
    """What a model is shown: groups of facts that seem to say nearly the same, and old summaries."""

    groups: tuple[tuple[Fact, ...], ...] = ()
    summaries: Summaries = field(default_factory=Summaries)

    def __bool__(self) -> bool:
        return bool(self.groups) or self.summaries != Summaries()

    def render(self) -> str:
        """Return the material as the model reads it."""
        parts = [
            f"<group>\n{_lines(render_fact(fact.id, fact) for fact in group)}\n</group>"
            for group in self.groups
        ]
        old = _lines(summary_lines(self.summaries))
        return "\n\n".join([*parts, f"<summaries>\n{old}\n</summaries>"] if old else parts)


def find_material(stored: StoredMemory, index: FactIndex, old: str) -> UpkeepMaterial:
    """Return what may be merged; `old` is the time before which recent summaries are old; "": none is."""
    seen: set[str] = set()
    groups: list[tuple[Fact, ...]] = []
    facts = {fact.id: fact for fact in stored.document.facts}
    for fact in stored.document.facts[: -MOST_COMPARED - 1 : -1]:
        near = [] if fact.id in seen or not _may_go(fact) else list(_near(facts, index, fact, seen))
        if near:
            group = tuple(sorted((fact, *near[: _MOST_IN_GROUP - 1]), key=lambda each: each.created_at))
            seen |= {each.id for each in group}
            groups.append(group)
        if len(groups) == _MOST_GROUPS:
            break
    return UpkeepMaterial(tuple(groups), _old_summaries(stored.document.summaries, old))


def consolidate(stored: StoredMemory, diff: Diff, material: UpkeepMaterial, now: str) -> StoredMemory:
    """Return the memory with what of the proposal is sound; `undo` takes it back."""
    left = {fact.id: fact for fact in stored.document.facts}
    for new in diff.new_facts:
        originals = [
            left[each.id] for each in new.judgements if each.relation is Relation.SAME and each.id in left
        ]
        if _is_sound(new, originals, material):
            merged = _merged(new, originals)
            for fact in originals:
                del left[fact.id]
            left[merged.id] = merged
    facts = tuple(left[fact.id] for fact in stored.document.facts if fact.id in left)
    summaries = _rewritten(stored.document.summaries, diff, material, now)
    return replace_document(stored, replace(stored.document, facts=facts, summaries=summaries), now)


def _may_go(fact: Fact) -> bool:
    return not (fact.manual or fact.until or fact.category in _OWN_KIND)


def _near(facts: dict[str, Fact], index: FactIndex, fact: Fact, seen: set[str]) -> Iterator[Fact]:
    for found, verdict in nearest_facts(index, fact.content):
        other = facts.get(found.id)
        if other is None or other.id == fact.id or other.id in seen or other.content != found.content:
            continue
        if verdict is not Similarity.NEW and _may_go(other) and may_join(fact, other):
            yield other


def _old_summaries(summaries: Summaries, old: str) -> Summaries:
    recent = summaries.recent
    is_old = recent.text and recent.updated_at and recent.updated_at < old
    return Summaries(recent=recent, earlier=summaries.earlier) if is_old else Summaries()


def _is_sound(new: ProposedFact, originals: Sequence[Fact], material: UpkeepMaterial) -> bool:
    """Return whether a fact may stand for these: all of one group, nothing lost and nothing added."""
    shown = {(fact.id, fact.content) for fact in originals}
    together = any(shown <= {(fact.id, fact.content) for fact in group} for group in material.groups)
    if len(originals) < 2 or not together or len(new.content) > MOST_OF_FACT:
        return False
    return stands_for(one_line(new.content, MOST_OF_FACT), [fact.content for fact in originals])


def _merged(new: ProposedFact, originals: Sequence[Fact]) -> Fact:
    """Return one fact of several, the oldest first: with all their accounts, places and words for search."""
    joined = reduce(join_facts, originals)
    keywords = clean_keywords(word for fact in originals for word in fact.keywords)
    accounts = accounts_of(account for fact in originals for account in fact.accounts or ("",))
    return replace(joined, content=one_line(new.content, MOST_OF_FACT), keywords=keywords, accounts=accounts)


def _rewritten(summaries: Summaries, diff: Diff, material: UpkeepMaterial, now: str) -> Summaries:
    """Return the summaries after both changes, or neither; those that changed meanwhile stay."""
    names = {change.name for change in diff.summaries if len(change.text) <= MOST_OF_SUMMARY}
    shown = (material.summaries.recent, material.summaries.earlier)
    if names != {RECENT, EARLIER} or shown != (summaries.recent, summaries.earlier):
        return summaries
    before, after = _texts(shown), _texts(Summary(change.text) for change in diff.summaries)
    if not stands_for(after, [before], _WORDS_KEPT):
        return summaries
    changed = summaries
    for change in diff.summaries:
        changed = rewrite_summary(changed, change.name, change.text, now, shrinks=change.shrinks)
    return changed if {changed.recent, changed.earlier}.isdisjoint(shown) else summaries


def screened(diff: Diff) -> Diff:
    """Return a proposal without secrets, and with orders to the assistant as quotations."""
    return screen_diff(diff, ()).diff


def _texts(summaries: Iterable[Summary]) -> str:
    return "\n".join(summary.text for summary in summaries)


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)
