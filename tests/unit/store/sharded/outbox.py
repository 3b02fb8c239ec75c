"""What a transaction of one database leaves to another: an item of its own, handed over until it arrived."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from parley.core.model.codec import decode, encode
from parley.core.model.errors import DocumentConflict
from parley.core.ports.journal import Claim, CounterIncrement, Document, NewQueueItem, QueueItem
from parley.store.interface import Store
from tests.unit.store.sharded.placement import FIRST, place_of_document, place_of_lane

OUTBOX = "outbox"
"""The queue of each database in which it waits."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What one database is to be told, in one transaction or piece by piece."""

    puts: tuple[NewQueueItem, ...] = ()
    documents: tuple[Document, ...] = ()
    tallies: tuple[CounterIncrement, ...] = ()


def changes_by_place(
    puts: Sequence[NewQueueItem],
    documents: Sequence[Document],
    tallies: Sequence[CounterIncrement],
    databases: int,
) -> defaultdict[int, Changes]:
    """What is for each database."""
    found: defaultdict[int, Changes] = defaultdict(Changes)
    for put in puts:
        place = place_of_lane(put.queue, put.lane, databases)
        found[place] = replace(found[place], puts=(*found[place].puts, put))
    for document in documents:
        place = place_of_document(document.key, databases)
        found[place] = replace(found[place], documents=(*found[place].documents, document))
    if tallies:
        found[FIRST] = replace(found[FIRST], tallies=tuple(tallies))
    return found


def outbox_item(claim: Claim, place: int, changes: Changes) -> NewQueueItem:
    """The item that a claim's own database keeps; those of one lane go to one place in their order.

    A document of another database must be a new one: whether it was changed cannot be known from here.
    """
    read = [document.key for document in changes.documents if document.version]
    if read:
        raise AssertionError(f"{claim.queue} changes documents of another database: {read}")
    return NewQueueItem(OUTBOX, f"{place}/{claim.queue}/{claim.lane}", encode(changes))


async def hand_over(target: Store, item: QueueItem) -> None:
    """Make the changes of an item; once more, as after a crash, they change nothing."""
    changes, once = decode(Changes, item.body), f"{OUTBOX}/{item.id}"
    for document in changes.documents:
        with suppress(DocumentConflict):  # it is there
            await target.set(document)
    if changes.puts:
        await target.put(
            *(replace(put, dedupe=put.dedupe or f"{once}/{place}") for place, put in enumerate(changes.puts))
        )
    if changes.tallies:
        await target.tally([replace(each, most=0) for each in changes.tallies], once=once)
