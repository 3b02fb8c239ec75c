"""kill -9, and the next start at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.chaos.board import Board
from tests.chaos.plan import Kill
from tests.e2e.process import Process


@dataclass(frozen=True, slots=True)
class Down:
    """When somebody was killed, and when all were up again (monotonic seconds)."""

    died: float
    up: float


@dataclass
class Killer:
    """Kills Parley, and the agent server where it is a process of its own, as planned."""

    parley: Process
    agent: Process | None
    board: Board
    parley_kills: int = 0
    agent_kills: int = 0
    downs: list[Down] = field(default_factory=list)

    async def run(self, kills: Sequence[Kill]) -> None:
        """Carry out the plan; returns when everything is up again after the last kill."""
        for kill in kills:
            await self.board.until_answers(kill.answers)
            await asyncio.sleep(kill.delay)
            died = time.monotonic()
            victims = self._victims(kill)
            await self._kill(victims)
            if kill.again >= 0:
                await asyncio.sleep(kill.again)
                await self._kill(victims)
            for victim in victims:
                await asyncio.to_thread(victim.wait_until_up)
            self.downs.append(Down(died, time.monotonic()))

    def _victims(self, kill: Kill) -> list[Process]:
        if self.agent is None:
            return [self.parley]
        return {"parley": [self.parley], "agent": [self.agent], "both": [self.parley, self.agent]}[
            kill.victim
        ]

    async def _kill(self, victims: Sequence[Process]) -> None:
        for victim in victims:
            await asyncio.to_thread(victim.kill)
            victim.spawn()
            self.parley_kills += victim is self.parley
            self.agent_kills += victim is self.agent

    def slowest(self) -> tuple[float, float]:
        """The longest start, from the kill on, and the longest wait from a start to the next answer."""
        times = sorted(self.board.answered.values())
        starts = [down.up - down.died for down in self.downs]
        waits = [next((at for at in times if at > down.up), down.up) - down.up for down in self.downs]
        return max(starts, default=0.0), max(waits, default=0.0)
