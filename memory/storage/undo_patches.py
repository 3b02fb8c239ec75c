"""Undo patches: earlier versions stored as differences, as five whole copies would be five times the file.

A patch also applies to a memory that was edited by hand in between: it undoes only its own change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from parley.memory.model.document import Fact, MemoryDocument, Summaries


@dataclass(frozen=True, slots=True)
class RestoredFact:
    """A fact of the older version, and its index there."""

    place: int
    fact: Fact


@dataclass(frozen=True, slots=True)
class UndoPatch:
    """Patch from the newer document to the older: facts to remove, facts to restore, the older summaries."""

    dropped: tuple[str, ...] = ()
    put: tuple[RestoredFact, ...] = ()
    summaries: Summaries | None = None
    updated_at: str = ""


def make_patch(newer: MemoryDocument, older: MemoryDocument) -> UndoPatch:
    """Return the patch from the newer document to the older."""
    there = {fact.id: fact for fact in newer.facts}
    # Nearly all are the same objects, and identity is quicker to compare.
    same = [fact.id for fact in older.facts if (now := there.get(fact.id)) is fact or now == fact]
    kept = set(same)
    if same != [fact.id for fact in newer.facts if fact.id in kept]:
        kept = set()  # the order differs: restore all
    return UndoPatch(
        dropped=tuple(fact.id for fact in newer.facts if fact.id not in kept),
        put=tuple(RestoredFact(place, fact) for place, fact in enumerate(older.facts) if fact.id not in kept),
        summaries=None if newer.summaries == older.summaries else older.summaries,
        updated_at=older.updated_at,
    )


def apply_patch(newer: MemoryDocument, change: UndoPatch) -> MemoryDocument:
    """Return the older document."""
    gone = {*change.dropped, *(put.fact.id for put in change.put)}
    rest = (fact for fact in newer.facts if fact.id not in gone)
    return MemoryDocument(
        summaries=change.summaries or newer.summaries,
        facts=tuple(_merged(rest, change.put)),
        updated_at=change.updated_at,
    )


def _merged(rest: Iterable[Fact], puts: Iterable[RestoredFact]) -> Iterator[Fact]:
    remaining, place = iter(rest), 0
    for put in puts:
        while place < put.place:
            between = next(remaining, None)
            if between is None:
                break
            yield between
            place += 1
        yield put.fact
        place += 1
    yield from remaining


def make_patches(document: MemoryDocument, past: Iterable[MemoryDocument]) -> tuple[UndoPatch, ...]:
    """Return the patches from a document back through its versions, newest first."""
    made = []
    for older in past:
        made.append(make_patch(document, older))
        document = older
    return tuple(made)


def apply_patches(document: MemoryDocument, changes: Iterable[UndoPatch]) -> tuple[MemoryDocument, ...]:
    """Return the versions before a document, newest first."""
    found = []
    for change in changes:
        document = apply_patch(document, change)
        found.append(document)
    return tuple(found)
