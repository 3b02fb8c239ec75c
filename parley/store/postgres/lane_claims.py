"""Claiming lanes: whatever was claimed in vain is given back."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Claim
from parley.core.ports.lease import uptime
from parley.store.postgres.engine import PostgresEngine
from parley.store.postgres.in_doubt_claims import InDoubtClaims
from parley.store.postgres.nodes import PostgresNodeRegistry
from parley.store.postgres.operations.calls import JournalCalls, claims_of
from parley.store.rows import Row


@dataclass(frozen=True, slots=True)
class LaneClaims:
    """The claims of one node, for `lease` seconds from its last sign of life."""

    engine: PostgresEngine
    calls: JournalCalls
    nodes: PostgresNodeRegistry
    lease: float
    doubts: InDoubtClaims

    async def claim(self, queue: str, limit: int, now: float | None) -> tuple[Claim, ...]:
        """Claim at most 100 items of a lane. Cancelling the call gives back what it may yet have claimed."""
        ticket, doubtful = self.doubts.open()
        call = self.calls.claim(queue, limit, self.lease, ticket, doubtful, now)
        self.engine.wakeups.begin_claim(queue)
        asked, answer = uptime(), self.engine.writer.submit(call)
        try:
            rows = await asyncio.shield(answer)
        except asyncio.CancelledError:
            answer.add_done_callback(partial(self._give_back, ticket))
            raise
        except StoreUnavailable:
            self.doubts.keep(ticket)
            raise
        claims = claims_of(rows, self.nodes.confirm_lease(asked))
        self.engine.wakeups.end_claim(queue, is_full=len(claims) >= limit)
        self.engine.signals.count(len(claims))
        return claims

    def _give_back(self, ticket: int, answer: asyncio.Future[list[Row]]) -> None:
        if answer.cancelled() or answer.exception() is not None:
            self.doubts.keep(ticket)
            return
        with suppress(StoreUnavailable):  # closed: leaving freed them
            for claim in claims_of(answer.result()):
                self.engine.writer.submit(self.calls.release(claim))
