"""How everything is, asked now and then, told at once."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from parley.app.supervision.channel_supervisor import ChannelSupervisors
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.ports.agent import Agent
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.journal import DocumentRepository

_PROBE = "health/probe"
_FRESH = 1.0


def _ignore(seconds: float) -> None:
    """Do nothing."""


class HealthMonitor:
    """Feels the store's and the agent's pulse every few seconds and keeps the newest reports.

    The store is written to: a disk that is full, or read-only, shows before the next message comes.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        agent: Agent,
        supervisors: ChannelSupervisors,
        every: float = 10.0,
        clock: Callable[[], float] = time.time,
        more: Callable[[], Sequence[HealthReport]] = tuple,
        measured: Callable[[float], None] = _ignore,
    ) -> None:
        """`more` reports come after those of the channels; `measured` is told how long a write took."""
        self._measured = measured
        self._documents = documents
        self._agent = agent
        self._supervisors = supervisors
        self._every = every
        self._clock = clock
        self._more = more
        self._looking = asyncio.Lock()
        self._looked = -math.inf
        now = clock()
        self._store_report = HealthReport("store", Health.STARTING, "not looked at yet", now)
        self._agent_report = HealthReport("agent", Health.STARTING, "not looked at yet", now)

    def reports(self) -> tuple[HealthReport, ...]:
        """Return the store, the agent, then every channel, and then the other reports."""
        return (self._store_report, self._agent_report, *self._supervisors.reports(), *self._more())

    async def run(self) -> None:
        """Look again and again until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._watch_store())
            group.create_task(self._watch_agent())

    async def refresh(self) -> None:
        """Look at the store now, unless somebody did in the last second, and nothing was in doubt since."""
        async with self._looking:
            if not 0 <= self._clock() - self._looked < _FRESH:
                await self._look()

    def recheck(self) -> None:
        """Have the next look be a new one."""
        self._looked = -math.inf

    async def _watch_store(self) -> None:
        while True:
            async with self._looking:
                await self._look()
            await asyncio.sleep(self._every)

    async def _look(self) -> None:
        try:
            known = await self._documents.get(_PROBE)
            began = time.perf_counter()
            await self._documents.set(replace(known, body=f"{self._clock():.0f}"))
        except StoreUnavailable as error:
            health, detail = Health.RETRYING, error.user_text
        except DocumentConflict:
            health, detail = Health.UP, "written by another node"
        else:
            health, detail = Health.UP, "writable"
            self._measured(time.perf_counter() - began)
        self._looked = self._clock()
        self._store_report = self._newer(
            self._store_report, HealthReport("store", health, detail, self._looked)
        )

    async def _watch_agent(self) -> None:
        while True:
            self._agent_report = self._newer(self._agent_report, await self._agent.health())
            await asyncio.sleep(self._every)

    @staticmethod
    def _newer(old: HealthReport, new: HealthReport) -> HealthReport:
        return replace(new, name=old.name, since=old.since if new.health is old.health else new.since)
