"""A memory of linked accounts taken apart again: what came from one of them, and the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from parley.memory.document import (
    SUMMARY_NAMES,
    Came,
    Fact,
    MemoryDocument,
    Notes,
    Stored,
    Summaries,
    Summary,
)
from parley.memory.forgetting import repeating
from parley.memory.join import accounts_of
from parley.memory.sentences import sentences
from parley.memory.summarised import keep_sentences, without_sentences
from parley.memory.telling import telling
from parley.memory.tombstones import digest_of


@dataclass(frozen=True, slots=True)
class Parted:
    """What stays with a person, and the memory that goes."""

    left: Stored
    taken: Stored


def part(stored: Stored, account: str, now: str, *, named: bool) -> Parted:
    """Split off what came from `account`; a fact that came from others too is then in both.

    `named` says that the person is named after it, so that facts without a mark are its own. A sentence of a
    summary goes where the account brought it, or where it repeats a fact that goes for good.
    """
    own = {account, ""} if named else {account}
    facts = stored.document.facts
    left = [_of_others(fact, own) for fact in facts if set(_told(fact)) - own]
    taken = [replace(fact, accounts=()) for fact in facts if own & set(_told(fact))]
    kept = {fact.id for fact in left}
    goes = _going(stored.notes, own, [fact for fact in taken if fact.id not in kept])
    stays = _brought(stored.notes, lambda each: each not in own)
    document = without_sentences(
        replace(stored.document, facts=tuple(left)),
        lambda sentence: goes(sentence) and _digest(sentence) not in stays,
    )
    parted = MemoryDocument(_only(stored.document.summaries, goes), tuple(taken), now)
    notes = Notes(
        off=stored.notes.off, tombstones=stored.notes.tombstones, watermarks=stored.notes.watermarks
    )
    gone = replace(notes, last_id=stored.notes.last_id)
    if not taken and parted.summaries == Summaries():
        return Parted(stored, Stored(MemoryDocument(), gone))
    rest = replace(
        stored.notes, past=(), came=tuple(each for each in stored.notes.came if each.account not in own)
    )
    return Parted(
        replace(stored, document=replace(document, updated_at=now), notes=rest), Stored(parted, gone)
    )


def marked(fact: Fact, account: str) -> Fact:
    """Return the fact of a person named after `account`, as another person has it who is not."""
    if not account:
        return fact
    return replace(fact, accounts=accounts_of(account if each == "" else each for each in _told(fact)))


def came(source: Stored, into: Stored, account: str) -> tuple[Came, ...]:
    """Return whose the sentences of two memories are that become one; `account` names the source's person."""
    found: dict[str, dict[str, None]] = {}
    for stored, name in ((into, ""), (source, account)):
        for owner, digests in _attributed(stored).items():
            found.setdefault(owner or name, {}).update(dict.fromkeys(digests))
    return tuple(Came(owner, tuple(digests)) for owner, digests in found.items() if digests)


def _attributed(stored: Stored) -> Mapping[str, Collection[str]]:
    """By account; what none of them brought is of the account after which the person is named."""
    known = {each.account: each.sentences for each in stored.notes.came}
    every = {digest for digests in known.values() for digest in digests}
    new = [digest for digest in map(_digest, _sentences(stored.document.summaries)) if digest not in every]
    return known | {"": (*known.get("", ()), *new)}


def _told(fact: Fact) -> tuple[str, ...]:
    return fact.accounts or ("",)


def _of_others(fact: Fact, own: Collection[str]) -> Fact:
    return replace(fact, accounts=accounts_of(each for each in _told(fact) if each not in own))


def _brought(notes: Notes, by: Callable[[str], bool]) -> frozenset[str]:
    return frozenset(digest for each in notes.came if by(each.account) for digest in each.sentences)


def _going(notes: Notes, own: Collection[str], gone: Iterable[Fact]) -> Callable[[str], bool]:
    brought = _brought(notes, lambda each: each in own)
    repeats = repeating([telling(fact.content) for fact in gone])
    return lambda sentence: _digest(sentence) in brought or repeats(sentence)


def _only(summaries: Summaries, wanted: Callable[[str], bool]) -> Summaries:
    """The summaries with nothing but the sentences that are wanted."""
    found = {}
    for name in SUMMARY_NAMES:
        summary: Summary = getattr(summaries, name)
        text = keep_sentences(summary.text, lambda sentence: not wanted(sentence))
        found[name] = replace(summary, text=text) if text else Summary()
    return Summaries(**found)


def _sentences(summaries: Summaries) -> Iterable[str]:
    for name in SUMMARY_NAMES:
        summary: Summary = getattr(summaries, name)
        yield from sentences(summary.text)


def _digest(sentence: str) -> str:
    return digest_of(sentence.strip())
