"""The nodes that share a store, and what only one of them may have at a time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

GONE_LISTED = 600.0
"""Seconds for which a node that is gone is still listed."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as the store knows it.

    It began at `since` (Unix seconds); its lease ends in `left` seconds, 0 or less for one that is gone.
    It holds `lanes` of the queues that were asked for, and alone whatever is in `holds`. `report` is what it
    last said of itself.
    """

    name: str
    since: float
    left: float
    lanes: int
    holds: tuple[str, ...]
    report: str

    @property
    def alive(self) -> bool:
        """Whether its lease stands."""
        return self.left > 0


@dataclass(frozen=True, slots=True)
class LeaseHolder:
    """Who holds something now, and for how many seconds unless it is prolonged."""

    node: str
    left: float


class NodeRegistry(Protocol):
    """This node among the others. Every method raises StoreUnavailable."""

    @property
    def name(self) -> str:
        """This node's own name, unlike any other."""
        ...

    def set_report(self, report: str) -> None:
        """Set what the others are shown of this node from its next sign of life on."""
        ...

    def shared_clock(self, own: Callable[[], float]) -> Callable[[], float]:
        """Return the clock (Unix seconds) that all nodes go by; `own` where there can be one only."""
        ...

    async def list_nodes(self, queues: str) -> Sequence[Node]:
        """Return the nodes that live or lived a short time ago, by name; none where there can be one only.

        `queues` is how those begin whose lanes are counted.
        """
        ...

    def changes(self) -> int:
        """Return how often this node was told that one began, or left in order."""
        ...

    async def wait_for_change(self, seen: int, timeout: float) -> None:
        """Return when `changes` is more than `seen`, or after `timeout` seconds."""
        ...

    async def acquire_lease(self, what: str, seconds: float) -> LeaseHolder:
        """Take, or keep, what only one node may have; tells who has it now."""
        ...

    async def release_lease(self, what: str) -> None:
        """Give back what is held; what is not is no error."""
        ...

    async def wait_for_release(self, what: str, timeout: float) -> None:
        """Return when somebody let go of it, or after `timeout` seconds."""
        ...


@dataclass(frozen=True, slots=True)
class SingleNodeRegistry:
    """The only node there is: it has whatever it asks for."""

    name: str

    def set_report(self, report: str) -> None:
        """Do nothing: nobody reads it."""

    def shared_clock(self, own: Callable[[], float]) -> Callable[[], float]:
        return own

    async def list_nodes(self, queues: str) -> Sequence[Node]:
        return ()

    def changes(self) -> int:
        return 0

    async def wait_for_change(self, seen: int, timeout: float) -> None:
        """Return after `timeout` seconds: nobody comes."""
        await asyncio.sleep(timeout)

    async def acquire_lease(self, what: str, seconds: float) -> LeaseHolder:
        return LeaseHolder(self.name, math.inf)

    async def release_lease(self, what: str) -> None:
        """Do nothing: nobody waits for it."""

    async def wait_for_release(self, what: str, timeout: float) -> None:
        """Return at once: it always is free."""
