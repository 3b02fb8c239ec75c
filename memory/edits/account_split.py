"""Splitting a memory of linked accounts: what came from one account, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace

from parley.memory.edits.distinctive_terms import distinctive_terms
from parley.memory.edits.fact_merge import accounts_of
from parley.memory.edits.forgetting import make_repeat_check
from parley.memory.edits.summaries import drop_sentences, drop_summary_sentences
from parley.memory.edits.tombstones import text_digest
from parley.memory.model.document import (
    Fact,
    MemoryDocument,
    Notes,
    SentenceOrigin,
    StoredMemory,
    Summaries,
    Summary,
)
from parley.memory.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class AccountSplit:
    """The memory that stays with the person, and the one that is taken out."""

    left: StoredMemory
    taken: StoredMemory


def split_account(stored: StoredMemory, account: str, now: str, *, named: bool) -> AccountSplit:
    """Split off what came from `account`; a fact that came from others too is then in both.

    `named` says that the person is named after it: facts of no marked account are then its own. A summary
    sentence goes if the account brought it, or if it repeats a fact that goes.
    """
    own = {account, ""} if named else {account}
    facts = stored.document.facts
    left = [_of_others(fact, own) for fact in facts if set(_told(fact)) - own]
    taken = [replace(fact, accounts=(), also_said=()) for fact in facts if own & set(_told(fact))]
    kept = {fact.id for fact in left}
    goes = _going(stored.notes, own, [fact for fact in taken if fact.id not in kept])
    stays = _brought(stored.notes, lambda each: each not in own)
    document = drop_summary_sentences(
        replace(stored.document, facts=tuple(left)),
        lambda sentence: goes(sentence) and _digest(sentence) not in stays,
    )
    parted = MemoryDocument(_only(stored.document.summaries, goes), tuple(taken), now)
    notes = Notes(
        off=stored.notes.off, tombstones=stored.notes.tombstones, watermarks=stored.notes.watermarks
    )
    gone = replace(notes, last_id=stored.notes.last_id)
    if not taken and parted.summaries == Summaries():
        return AccountSplit(stored, StoredMemory(MemoryDocument(), gone))
    rest = replace(
        stored.notes, past=(), came=tuple(each for each in stored.notes.came if each.account not in own)
    )
    return AccountSplit(
        replace(stored, document=replace(document, updated_at=now), notes=rest), StoredMemory(parted, gone)
    )


def mark_account(fact: Fact, account: str) -> Fact:
    """Return the fact of a person named after `account`, as another person has it who is not."""
    if not account:
        return fact
    return replace(fact, accounts=accounts_of(account if each == "" else each for each in _told(fact)))


def sentence_origins(source: StoredMemory, into: StoredMemory, account: str) -> tuple[SentenceOrigin, ...]:
    """Return whose the sentences of two memories are that become one; `account` names the source's person."""
    found: dict[str, dict[str, None]] = {}
    for stored, name in ((into, ""), (source, account)):
        for owner, digests in _attributed(stored).items():
            found.setdefault(owner or name, {}).update(dict.fromkeys(digests))
    return tuple(SentenceOrigin(owner, tuple(digests)) for owner, digests in found.items() if digests)


def _attributed(stored: StoredMemory) -> Mapping[str, Collection[str]]:
    """Return sentences by account; those of no known account belong to the one the person is named after."""
    known = {each.account: each.sentences for each in stored.notes.came}
    every = {digest for digests in known.values() for digest in digests}
    new = [digest for digest in map(_digest, _sentences(stored.document.summaries)) if digest not in every]
    return known | {"": (*known.get("", ()), *new)}


def _told(fact: Fact) -> tuple[str, ...]:
    return fact.accounts or ("",)


def _of_others(fact: Fact, own: Set[str]) -> Fact:
    accounts = accounts_of(each for each in _told(fact) if each not in own)
    # Where else it was said may be where the other account did.
    also_said = fact.also_said if own.isdisjoint(_told(fact)) else ()
    return replace(fact, accounts=accounts, also_said=also_said)


def _brought(notes: Notes, by: Callable[[str], bool]) -> frozenset[str]:
    return frozenset(digest for each in notes.came if by(each.account) for digest in each.sentences)


def _going(notes: Notes, own: Collection[str], gone: Iterable[Fact]) -> Callable[[str], bool]:
    brought = _brought(notes, lambda each: each in own)
    repeats = make_repeat_check([distinctive_terms(fact.content) for fact in gone])
    return lambda sentence: _digest(sentence) in brought or repeats(sentence)


def _only(summaries: Summaries, wanted: Callable[[str], bool]) -> Summaries:
    """Return the summaries with only the wanted sentences."""
    found = {}
    for name, summary in summaries.named():
        text = drop_sentences(summary.text, lambda sentence: not wanted(sentence))
        found[name] = replace(summary, text=text) if text else Summary()
    return Summaries().changed(found)


def _sentences(summaries: Summaries) -> Iterable[str]:
    for _, summary in summaries.named():
        yield from split_sentences(summary.text)


def _digest(sentence: str) -> str:
    return text_digest(sentence.strip())
