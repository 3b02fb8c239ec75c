"""Applies a proposed diff to a memory: pure, item by item, in an order that loses nothing.

New facts are normalised, checked against the threshold and the tombstones, and merged with equal ones;
then facts that were wrong go, each only if its replacement was kept, and superseded ones become past;
then come confirmations and summaries, and eviction last.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from parley.core.ports.memory.port import NO_ORIGIN
from parley.memory.edits.eviction import evict
from parley.memory.edits.fact_merge import accounts_of, can_merge, confirm_fact, merge_facts
from parley.memory.edits.fact_set import FactSet
from parley.memory.edits.forgetting import forget_facts
from parley.memory.edits.history import replace_document
from parley.memory.edits.normalise import MOST_OF_FACT, clean_keywords, one_line
from parley.memory.edits.similarity import Similarity
from parley.memory.edits.summaries import drop_sentences, rewrite_summary
from parley.memory.edits.supersede import end_fact, settle_by_time
from parley.memory.edits.tombstones import is_barred, repeats_forgotten
from parley.memory.learning.extraction.diff import Diff, ProposedFact, Relation, Removal
from parley.memory.learning.extraction.turn_filter import LearnableTurn
from parley.memory.learning.upload_filter import is_upload_news
from parley.memory.model.document import (
    NOTHING_KEPT_OUT,
    Category,
    Fact,
    KeptOut,
    Notes,
    StoredMemory,
    Summaries,
    clamp_confidence,
)
from parley.memory.options import MemoryOptions
from parley.memory.search.index import FactIndex

# Threads whose watermark is kept; older ones get no turns any more.
_MOST_WATERMARKS = 200


@dataclass(frozen=True, slots=True)
class DiffContext:
    """What a diff was made from.

    `now` is ISO 8601 in UTC. `turns` are those that the extraction read. `generation` is the memory's when
    it began: a memory cleared since then is not changed. `watermarks` are recorded besides the last of
    `turns`, for turns that were skipped. `kept_out` is what screening kept out of the diff.
    """

    now: str
    turns: tuple[LearnableTurn, ...] = ()
    generation: int = 0
    watermarks: Mapping[str, str] = field(default_factory=dict)
    kept_out: KeptOut = NOTHING_KEPT_OUT


def apply_diff(
    stored: StoredMemory,
    diff: Diff,
    context: DiffContext,
    options: MemoryOptions | None = None,
    index: FactIndex | None = None,
) -> StoredMemory:
    """Return the memory after the diff; the same object where it was cleared or switched off meanwhile.

    `index` may be of an earlier state of the same memory; a new one takes long for many facts.
    """
    if stored.notes.off or stored.notes.generation != context.generation:
        return stored
    work = _Work(stored, diff, context, options or MemoryOptions(), index)
    return work.done()


class _Work:
    """One application of a diff, step by step."""

    def __init__(
        self,
        stored: StoredMemory,
        diff: Diff,
        context: DiffContext,
        options: MemoryOptions,
        index: FactIndex | None,
    ) -> None:
        self._diff = diff
        self._context = context
        self._options = options
        self._stored = self._forget(stored)
        self._tombstones = self._stored.notes.tombstones
        self._draft = FactSet(self._stored.document.facts, stored.notes.last_id, index)
        self._turns = {turn.id: turn for turn in context.turns}
        self._ended: set[str] = set()

    def done(self) -> StoredMemory:
        kept = {place: self._learn(new) for place, new in enumerate(self._diff.new_facts)}
        for removal in self._diff.removals:
            if self._may_go(removal, kept):
                self._draft.remove(removal.id)
        self._confirm()
        document = replace(
            self._stored.document,
            summaries=self._summarise(self._stored.document.summaries),
            facts=evict(self._draft.facts, self._options.max_facts),
        )
        changed = replace_document(self._stored, document, self._context.now)
        return replace(changed, notes=self._noted(changed.notes))

    def _forget(self, stored: StoredMemory) -> StoredMemory:
        """Forget first what the person asked to forget, so that nothing that follows restores it."""
        asked = {removal.id for removal in self._diff.removals if removal.forget}
        gone = [fact for fact in stored.document.facts if fact.id in asked]
        return forget_facts(stored, gone, self._context.now) if gone else stored

    def _learn(self, new: ProposedFact) -> str:
        """Return the id under which a new fact is stored or was known; empty where it is not."""
        good = normalise_fact(new)
        if good is None or good.confidence < self._options.fact_confidence_threshold:
            return ""
        fact, said_at = self._fact(good)
        if is_barred(self._tombstones, fact.content, said_at):
            return ""
        kept = self._known(good, fact) or self._draft.add(fact).id
        for judgement in good.judgements:
            old = self._draft.get(judgement.id)
            superseded = judgement.relation is Relation.SUPERSEDES and judgement.id != kept
            if superseded and old is not None and not old.manual:
                self._draft.replace(end_fact(old, said_at or fact.created_at))
                self._ended.add(old.id)
        self._settle(kept, {judgement.id for judgement in good.judgements})
        return kept

    def _settle(self, kept: str, judged: Container[str]) -> None:
        """Settle by time what the fact of this id contradicts, where the model gave no verdict."""
        new = self._draft.get(kept)
        if new is None or new.until:
            return
        near = [old for old in self._draft.find_contested(new) if old.id not in judged]
        for past in settle_by_time(near, new):
            self._draft.replace(past)

    def _known(self, new: ProposedFact, fact: Fact) -> str:
        """Return the id of the stored fact that says the same, now confirmed; empty where there is none."""
        same = self._draft.find_same(fact.content)
        if same is not None:
            self._draft.replace(merge_facts(same, fact))
            return same.id
        judged = {judgement.id: judgement.relation for judgement in new.judgements}
        for old, verdict in self._draft.find_similar(fact.content):
            if verdict is Similarity.DUP and old.id not in judged and can_merge(old, fact):
                self._draft.replace(merge_facts(old, fact))
                return old.id
        for fact_id, relation in judged.items():
            old_one = self._draft.get(fact_id)
            if relation is Relation.SAME and old_one is not None and (old_one.shared or not fact.shared):
                # The model may confirm a fact, but not rewrite it.
                self._draft.replace(
                    merge_facts(old_one, replace(fact, content=old_one.content, shared=False))
                )
                return fact_id
        return ""

    def _fact(self, new: ProposedFact) -> tuple[Fact, str]:
        """Return the fact as it would be stored, and the latest time at which it was certainly said."""
        cited = [self._turns[turn] for turn in new.turns if turn in self._turns]
        read = cited or list(self._context.turns)
        times = sorted(turn.at for turn in read)
        said_at = (times[-1] if cited else times[0]) if times else ""
        latest = max(read, key=lambda turn: turn.at) if read else None
        fact = Fact(
            id="",
            content=new.content,
            category=self._options.vocabulary.category(new.category),
            confidence=new.confidence,
            created_at=times[-1] if times and times[-1] else self._context.now,
            source=latest.thread if latest else "unknown",
            origin=latest.origin if latest else NO_ORIGIN,
            source_error=new.source_error,
            shared=bool(read) and not any(turn.private for turn in read),
            subject=new.subject,
            keywords=new.keywords,
            valid_from=new.valid_from,
            until=new.until,
            accounts=accounts_of(turn.account for turn in read),
        )
        return fact, said_at

    def _may_go(self, removal: Removal, kept: Mapping[int, str]) -> bool:
        """Return whether to remove: a replaced fact if its replacement stayed, others if all was readable."""
        fact = self._draft.get(removal.id)
        if fact is None or fact.manual or removal.id in self._ended or removal.id in kept.values():
            return False
        if removal.replaced_by is None:
            return not self._diff.unreadable
        replacement = kept.get(removal.replaced_by, "")
        return self._draft.get(replacement) is not None

    def _confirm(self) -> None:
        said = max((turn.at for turn in self._context.turns), default="") or self._context.now
        for confirmation in self._diff.confirmations:
            fact = self._draft.get(confirmation.id)
            if fact is not None:
                self._draft.replace(confirm_fact(fact, said))

    def _summarise(self, summaries: Summaries) -> Summaries:
        for change in self._diff.summaries:
            if change.name not in self._options.vocabulary.topics:
                continue
            text = drop_sentences(change.text, self._unwanted)
            # A text emptied by the filters was not meant to be empty.
            meant = change.shrinks and bool(text or not change.text)
            summaries = rewrite_summary(summaries, change.name, text, self._context.now, shrinks=meant)
        return summaries

    def _unwanted(self, sentence: str) -> bool:
        said_at = min((turn.at for turn in self._context.turns), default="")
        return is_upload_news(sentence) or repeats_forgotten(self._tombstones, sentence, said_at)

    def _noted(self, notes: Notes) -> Notes:
        latest = {turn.thread: turn.id for turn in self._context.turns} | dict(self._context.watermarks)
        others = {thread: turn for thread, turn in notes.watermarks.items() if thread not in latest}
        watermarks = dict(list((others | latest).items())[-_MOST_WATERMARKS:])
        kept_out = notes.kept_out + self._context.kept_out
        return replace(notes, watermarks=watermarks, last_id=self._draft.last_id, kept_out=kept_out)


_MOST_OF_ERROR = 300


_MOST_OF_SUBJECT = 80


def normalise_fact(new: ProposedFact) -> ProposedFact | None:
    """Return the fact with all values within bounds; None where nothing in it is worth storing."""
    content = one_line(new.content, MOST_OF_FACT)
    if not any(char.isalnum() for char in content) or is_upload_news(content):
        return None
    correction = new.category == Category.CORRECTION
    return replace(
        new,
        content=content,
        confidence=clamp_confidence(new.confidence),
        source_error=one_line(new.source_error, _MOST_OF_ERROR) if correction else "",
        keywords=clean_keywords(new.keywords),
        subject=one_line(new.subject, _MOST_OF_SUBJECT),
    )
