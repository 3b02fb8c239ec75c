"""When a node stood still though nothing was done to it: the machine was too busy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import httpx

from tests.chaos.accounting.overlaps import Span
from tests.chaos.planning.process_faults import LEASE

_LONG = LEASE / 4
"""Seconds. A lease is renewed three times in its length: one such stall need not end it, a few may."""
_PAUSE = 0.25


@dataclass
class StallWatch:
    """Notes when a node did not answer for long, and when this process did nothing, through which all nodes
    reach their database: then leases end, and work moves, as they should.
    """

    spans: list[Span] = field(default_factory=list)

    async def watch(self, node: str, client: httpx.AsyncClient) -> None:
        """Ask a node again and again whether it lives."""
        while True:
            asked = time.monotonic()
            with suppress(httpx.HTTPError):
                await client.get("/livez")
            self._note(node, asked)
            await asyncio.sleep(_PAUSE)

    async def watch_here(self) -> None:
        """Look again and again whether this process gets its turn."""
        while True:
            slept = time.monotonic()
            await asyncio.sleep(_PAUSE)
            self._note("", slept)

    def _note(self, node: str, since: float) -> None:
        now = time.monotonic()
        if now - since > _LONG:
            self.spans.append(Span(node, since, now))

    def unplanned(self, planned: Sequence[Span]) -> int:
        """How often a node stood still while nothing was done to it."""
        return sum(not any(_meet(stall, span) for span in planned) for stall in self.spans if stall.node)


def _meet(one: Span, other: Span) -> bool:
    same = one.node == other.node or "" in (one.node, other.node)
    return same and one.began <= other.ended and other.began <= one.ended
