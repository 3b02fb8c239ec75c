"""What every engine offers: the core's Journal, and the operator's side of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from parley.core.ports.pubsub import Notifier
from parley.core.ports.store_admin import QueueBacklog, StoreAdmin
from parley.store.nodes import NodeRegistry


class Store(StoreAdmin, Protocol):
    """A lane's items are handed out strictly in the order of their ids: a delayed item holds back those
    behind it. `max_wait` 0 sets no bound. Texts must be valid Unicode (ValueError otherwise). After
    LaneLost a claim is void: its lane is another's, or free. Every method raises StoreUnavailable.
    """

    async def dead_by_queue(self) -> Mapping[str, int]:
        """Return how many dead letters each queue has, without the empty ones."""
        ...

    async def backlog(self) -> Mapping[str, QueueBacklog]:
        """Return what each queue has that is ready and held by nobody; queues without any are left out."""
        ...

    async def count_waiting(self, queue: str, most: int) -> int:
        """Return how many items of a queue wait, without the empty ones; no more than `most` are counted."""
        ...

    async def lanes_before(self, item: int, limit: int) -> Sequence[tuple[int, str, str]]:
        """Return the newest items below an id, finished or not: id, queue and lane."""
        ...

    async def revive(self, item: int) -> bool:
        """Let a dead letter wait again, at its old place in its lane; False if there is none."""
        ...

    async def discard(self, item: int) -> bool:
        """Remove a dead letter for good; False if there is none."""
        ...

    @property
    def nodes(self) -> NodeRegistry:
        """This node among those that share the store."""
        ...

    @property
    def news(self) -> Notifier:
        """What the nodes tell each other."""
        ...

    async def renew(self) -> None:
        """Prove that this node lives: its lanes are held for another lease from now."""
        ...

    async def prune(self, now: float) -> int:
        """Remove what is past its time at `now`, a slice at a time; returns the number of rows."""
        ...

    async def maintain(self, prune_every: float = 3600.0) -> None:
        """Renew leases and prune, until cancelled; a store that is out of reach is tried again."""
        ...
