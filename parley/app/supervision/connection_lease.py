"""Connections that a platform gives to one program only: of all nodes one has it, the others stand by."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Protocol

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.lease import LeaseToken, holding_lease, uptime
from parley.store.nodes import NodeRegistry

log = logging.getLogger("parley.app")

LEASE_SECONDS = 3.0
"""How long a seat is kept for a node that is silent; then another one connects."""

_LOOK = 1.0
_PARTING = 1.0

OnStandby = Callable[[str], None]
"""Told why one waits."""


class ConnectionLeaseLost(Exception):
    """The seat may be another node's: whatever was done on it was broken off."""


class ConnectionLease(Protocol):
    """A place to listen at."""

    def acquire(self, stand_by: OnStandby) -> AbstractAsyncContextManager[None]:
        """Sit for as long as it is entered; waits until it is free. Raises ConnectionLeaseLost."""
        ...


class NoLease:
    """There is one for every node."""

    @asynccontextmanager
    async def acquire(self, stand_by: OnStandby) -> AsyncIterator[None]:
        yield


class ExclusiveLease:
    """One for all nodes, leased in the store for `seconds` at a time.

    Who cannot prolong it in time leaves it before anybody else can have it.
    """

    def __init__(
        self,
        nodes: NodeRegistry,
        what: str,
        seconds: float = LEASE_SECONDS,
        clock: Callable[[], float] = uptime,
    ) -> None:
        self._nodes = nodes
        self._what = what
        self._seconds = seconds
        self._clock = clock

    @asynccontextmanager
    async def acquire(self, stand_by: OnStandby) -> AsyncIterator[None]:
        tenure = await self._got(stand_by)
        log.info("this node has %s now", self._what)
        try:
            with holding_lease(tenure):
                async with asyncio.timeout(self._sure(tenure)) as limit:
                    keeper = asyncio.create_task(self._keep(tenure, limit))
                    try:
                        yield
                    finally:
                        keeper.cancel()
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ConnectionLeaseLost(f"{self._what} could not be kept") from error
        finally:
            with suppress(StoreUnavailable, TimeoutError):
                async with asyncio.timeout(_PARTING):
                    await self._nodes.release_lease(self._what)

    async def _got(self, stand_by: OnStandby) -> LeaseToken:
        while True:
            asked = self._clock()
            try:
                holding = await self._nodes.acquire_lease(self._what, self._seconds)
            except StoreUnavailable as error:
                stand_by(error.user_text)
                await asyncio.sleep(_LOOK)
                continue
            if holding.node == self._nodes.name:
                return LeaseToken(self._seconds, asked, self._clock)
            stand_by(f"node {holding.node} has the connection")
            await self._nodes.wait_for_release(self._what, min(_LOOK, max(0.0, holding.left) + 0.05))

    async def _keep(self, tenure: LeaseToken, limit: asyncio.Timeout) -> None:
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(self._seconds / 4)
            asked = self._clock()
            try:
                holding = await self._nodes.acquire_lease(self._what, self._seconds)
            except StoreUnavailable as error:
                log_store_failure(log.warning, "%s cannot be prolonged: %s", self._what, error)
                continue
            if holding.node != self._nodes.name or not tenure.extend(asked):
                limit.reschedule(now())
                return
            limit.reschedule(now() + self._sure(tenure))

    def _sure(self, tenure: LeaseToken) -> float:
        """Return seconds in which it is certainly ours."""
        return tenure.left - self._seconds / 5
