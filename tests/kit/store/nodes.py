"""What the store's tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import TypeAlias

from parley.core.ports.journal import Claim, QueueItem
from parley.store.interface import Store

OpenNode: TypeAlias = Callable[[str, str], AbstractAsyncContextManager[Store]]

LEASE = 15.0


class Clock:
    """Time that moves when told to."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


def bodies(items: Iterable[QueueItem]) -> list[str]:
    return [item.body for item in items]


async def claim_one(store: Store, queue: str = "in") -> Claim:
    """The one claimable lane."""
    (claim,) = await store.claim(queue, 10)
    return claim


async def finish_next(store: Store, queue: str = "in") -> str:
    """Finish the first item of the one claimable lane; returns its body."""
    claim = await claim_one(store, queue)
    await store.done(claim, claim.items[:1])
    return claim.items[0].body
