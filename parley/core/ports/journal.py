"""The port to durable state: lanes of work, each in order, and versioned documents."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Protocol, TypeVar

from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.model.usage import Usage
from parley.core.ports.lease import PERMANENT_LEASE, LeaseToken

STORE_PAUSE = 0.3
"""Seconds between two tries while the store is away, always the same: with growing ones what came first would
be tried last, and people would still wait when the store is back."""

_CONFLICT, _LONGEST_CONFLICT = 0.01, 1.0
"""Seconds of the first and of the longest pause after a conflict of documents."""

_PAGE = 500
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class NewQueueItem:
    """Work to be made durable.

    `lane` is worked in order, one item at a time. `dedupe` names it for ever ("" never equals another):
    a second put of the same name in the same queue does nothing. `delay` seconds pass before it may be
    claimed. `slot` names a place within the lane that holds one waiting item at most: a later put replaces
    its body and waits again for `delay`, but never past `max_wait` seconds after the first put (0: no bound).
    """

    queue: str
    lane: str
    body: str
    dedupe: str = ""
    delay: float = 0.0
    slot: str = ""
    max_wait: float = 0.0


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A durable piece of work. `id` grows in the order of acceptance; `note` is its last checkpoint.

    `ended_at` is when a dead letter was given up, in Unix seconds.
    """

    id: int
    queue: str
    lane: str
    body: str
    note: str
    attempts: int
    version: int
    put_at: float
    ended_at: float = 0.0


NEWEST_DEAD = (math.inf, 0)
"""Before it are all dead letters."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A lane held by this node, with its waiting items in order.

    `epoch` fences every write, `tenure` whatever is done outside of the store. `crashes` counts the claims in
    a row before this one that simply vanished, `trials` those of them that `set_trials` told of.
    """

    queue: str
    lane: str
    epoch: int
    items: tuple[QueueItem, ...]
    tenure: LeaseToken = field(default=PERMANENT_LEASE, compare=False, repr=False)
    crashes: int = 0
    trials: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A versioned value; version 0 is one that does not exist yet (its body is empty)."""

    key: str
    body: str
    version: int


@dataclass(frozen=True, slots=True)
class CounterIncrement:
    """What to add to the count `name`, which is kept until `until` (Unix seconds).

    Where `most` is not 0, the count may not come to more turns than that.
    """

    name: str
    until: float
    usage: Usage
    most: int = 0


class DocumentRepository(Protocol):
    """Versioned values by key."""

    async def get(self, key: str) -> Document:
        """Return the document, or version 0. Raises StoreUnavailable."""
        ...

    async def set(self, document: Document) -> Document:
        """Write `body` if the stored version is still `document.version`; returns it with its new version.

        Raises DocumentConflict, StoreUnavailable.
        """
        ...

    async def list(self, prefix: str, limit: int = 1000, after: str = "") -> Sequence[Document]:
        """Return documents whose key starts with `prefix` and is greater than `after`, in key order."""
        ...

    async def delete(self, key: str) -> None:
        """Remove a document; absent is no error."""
        ...


async def iter_documents(
    documents: DocumentRepository, prefix: str, after: str = ""
) -> AsyncIterator[Document]:
    """Yield all documents with this prefix and a key beyond `after`, in key order.

    Raises StoreUnavailable.
    """
    while found := await documents.list(prefix, _PAGE, after):
        for document in found:
            yield document
        if len(found) < _PAGE:
            return
        after = found[-1].key


async def pause_after_conflict(attempt: int) -> None:
    """Wait a random moment, longer with each `attempt`: many may be quicker, and would be again."""
    await asyncio.sleep(random.random() * min(_LONGEST_CONFLICT, _CONFLICT * 2.0 ** min(attempt, 10)))


async def update_document(
    documents: DocumentRepository, key: str, change: Callable[[Document], tuple[_T, str | None]]
) -> _T:
    """Set the body that `change` makes of a document, and again as often as somebody else was quicker.

    `change` returns a result, which is returned, and the body; None as body leaves the document as it is.
    Raises StoreUnavailable.
    """
    for attempt in count():
        document = await documents.get(key)
        result, body = change(document)
        try:
            if body is not None:
                await documents.set(replace(document, body=body))
        except DocumentConflict:
            await pause_after_conflict(attempt)
            continue
        return result
    raise AssertionError("count() has no end")


class Journal(DocumentRepository, Protocol):
    """Lanes of durable work, and documents. A lane is strictly in order: a delayed item holds back the rest.

    Every method raises StoreUnavailable. Those that take a claim raise LaneLost when another node holds the
    lane now, or everything claimed was cancelled; the claim is void then.
    """

    async def get_all(self, keys: Sequence[str]) -> tuple[Document, ...]:
        """Several documents in one look, in the order of their keys."""
        ...

    async def put(self, *puts: NewQueueItem) -> tuple[int | None, ...]:
        """Durable on return, in one transaction. For each: its item id, or None for a duplicate."""
        ...

    async def claim(self, queue: str, limit: int) -> tuple[Claim, ...]:
        """Take up to `limit` free lanes with due work, longest waiting first.

        Each claim is counted on disk. The count begins anew when the lane is given back, by whatever verb,
        or by a node that leaves in order; and when the note of the lane's head has changed since the claim.
        A claim whose node died, or lost the lane to another, stays counted.
        """
        ...

    async def set_trials(self, claim: Claim, trials: int) -> None:
        """Keep `trials` with a held lane for the claim after this one, should this one vanish."""
        ...

    async def wait(self, queue: str, timeout: float) -> None:
        """Return when `queue` may have something to claim, or after `timeout` seconds."""
        ...

    async def waiting(self, queue: str, lane: str) -> tuple[QueueItem, ...]:
        """Unfinished items of a lane, in order, whoever holds it."""
        ...

    async def note(self, claim: Claim, item: int, note: str) -> None:
        """Checkpoint an unfinished item of a held lane. Raises LaneLost for a cancelled item too."""
        ...

    async def done(
        self,
        claim: Claim,
        items: Sequence[QueueItem],
        *,
        note: str | None = None,
        puts: Sequence[NewQueueItem] = (),
        documents: Sequence[Document] = (),
        tallies: Sequence[CounterIncrement] = (),
    ) -> None:
        """Finish items, add follow-ups, write documents, add to counts and free the lane, all in one
        transaction. The `most` of a tally does not matter here.

        `note`, where given, is the finished items' last checkpoint. An item that was replaced while it
        ran (its version moved) stays waiting. Raises DocumentConflict: nothing of it happened.
        """
        ...

    async def release(self, claim: Claim) -> None:
        """Free the lane and change nothing else; a lane already lost is no error."""
        ...

    async def retry(self, claim: Claim, delay: float) -> None:
        """Free the lane, count an attempt on its head, and let nobody claim it for `delay` seconds."""
        ...

    async def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str) -> None:
        """Dead-letter items, kept for the operator, and free the lane."""
        ...

    async def cancel(self, queue: str, lane: str, before: int) -> tuple[QueueItem, ...]:
        """Finish, undone, the waiting items with ids below `before` that no holder has noted on yet."""
        ...

    async def withdraw(self, queue: str, lane: str, item: int) -> bool:
        """Finish, undone, one waiting item; False where a holder has noted on it, or it is gone."""
        ...

    async def dead(self, limit: int = 100, before: tuple[float, int] = NEWEST_DEAD) -> tuple[QueueItem, ...]:
        """Dead letters, newest first; `note` ends with the reason.

        The next page is what comes before the last one's `ended_at` and `id`.
        """
        ...

    async def dead_beside(self, item: int) -> tuple[QueueItem, ...]:
        """A dead letter and those of its lane that were given up with it; nothing where there is none."""
        ...

    async def tally(self, tallies: Sequence[CounterIncrement], once: str = "") -> bool:
        """Add to counts in one transaction; False, and nothing added, where a `most` is in the way.

        Under a name `once` that is known already nothing is added again, and the answer is True.
        """
        ...

    async def counted(self, names: Sequence[str]) -> tuple[Usage, ...]:
        """Return what each count has come to; one that does not exist is nothing."""
        ...

    async def uncount(self, prefixes: Sequence[str]) -> int:
        """Remove the counts whose names start with any of `prefixes`; returns how many there were."""
        ...


def log_store_failure(write: Callable[..., None], message: str, *given: object) -> None:
    """Write a line with a failure of the store among its arguments, with such as `log.warning`.

    Nothing is written where the store as a whole is away: whoever met that has said so.
    """
    if not any(isinstance(each, StoreUnavailable) and each.outage for each in given):
        write(message, *given)
