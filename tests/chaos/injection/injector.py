"""Blows: processes are killed and started again, stopped and let go on, and their surroundings fail."""

from __future__ import annotations

import asyncio
import signal
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.accounting.network_tap import TapLog
from tests.chaos.accounting.overlaps import Span
from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.injection.clock import Clock
from tests.chaos.injection.database import FaultyDatabase
from tests.chaos.injection.network import Gate, NodeNetwork
from tests.chaos.planning.process_faults import CUTS, DATABASE_FAULTS, ProcessFault
from tests.kit.product.process import Process
from tests.kit.small_disk import Disk

_AGAIN = 0.5
_UNREACHABLE = ("freeze", "pooler", *CUTS)
"""What keeps one node from taking messages, while others take them."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What can be hit: processes, their clocks and networks by name, and what they write to."""

    processes: Mapping[str, Process]
    clocks: Mapping[str, Clock]
    disk: Disk | None
    database: FaultyDatabase | None
    networks: Mapping[str, NodeNetwork]
    ear: TapLog


def _ignore() -> None:
    """Let nobody know."""


@dataclass
class FaultInjector:
    """Carries out a plan. A victim that is still down is waited for; others are hit meanwhile.

    `due` is how many of them should have begun, and have not; `unreachable`, how many now keep a node from
    taking what it is handed. `struck` counts blows by shock, `killed` the kills of each process, and `ended`
    how often it ended by itself at its start; `cut_off` is called when somebody can acknowledge nothing;
    `downs` are when somebody was killed and when all were up again, and `spans` say who could not hold on to
    work, and when.
    """

    targets: Targets
    board: ProgressBoard
    struck: Counter[str] = field(default_factory=Counter)
    killed: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    downs: list[tuple[float, float]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    unreachable: int = 0
    cut_off: Callable[[], None] = _ignore
    _held: dict[str, asyncio.Lock] = field(default_factory=dict)
    _left: Sequence[ProcessFault] = ()

    @property
    def due(self) -> int:
        return bisect_right(self._left, len(self.board.answered), key=lambda blow: blow.answers)

    async def run(self, blows: Sequence[ProcessFault]) -> None:
        """Carry out the plan; returns when everything is up again after the last blow."""
        async with asyncio.TaskGroup() as group:
            for number, blow in enumerate(blows):
                self._left = blows[number:]
                self.board.wake()
                await self.board.until_answers(blow.answers)
                await asyncio.sleep(blow.delay)
                if not self._can(blow):
                    continue
                locks = [self._held.setdefault(name, asyncio.Lock()) for name in _holds(blow)]
                for lock in locks:
                    await lock.acquire()
                self.struck[blow.shock] += 1
                group.create_task(self._strike(blow, locks))
            self._left = ()
            self.board.wake()

    def _can(self, blow: ProcessFault) -> bool:
        match blow.shock:
            case "disk":
                return self.targets.disk is not None
            case "clock":
                return all(self.targets.clocks[name].variables for name in blow.victims)
            case "partition":
                return all(self.targets.networks[name].network for name in blow.victims)
            case "database" | "read-only" | "full" | "pooler" | "schema":
                return self.targets.database is not None and self.targets.database.can(blow.shock)
            case _:
                return True

    async def _strike(self, blow: ProcessFault, locks: Sequence[asyncio.Lock]) -> None:
        began, unreachable = time.monotonic(), blow.shock in _UNREACHABLE
        self.unreachable += unreachable
        try:
            await self._work(blow)
        finally:
            self.unreachable -= unreachable
            for name in blow.victims or ("",):
                self.spans.append(Span(name, began, time.monotonic()))
            for lock in locks:
                lock.release()

    def _work(self, blow: ProcessFault) -> Awaitable[None]:
        match blow.shock:
            case "kill":
                return self._kill(blow)
            case "freeze":
                return self._freeze(blow)
            case "clock":
                return self._step(blow)
            case "disk":
                return self._fill(blow)
            case "update":
                return self._update(blow)
            case "partition":
                return self._partition(blow)
            case "hold" | "database hold":
                return self._hold(blow)
            case _:
                assert self.targets.database is not None
                return self.targets.database.strike(blow.shock, blow.lasts)

    async def _kill(self, blow: ProcessFault) -> None:
        died = time.monotonic()
        await self._kill_all(blow.victims)
        if blow.again >= 0:
            await asyncio.sleep(blow.again)
            await self._kill_all(blow.victims)
        for name in blow.victims:
            await self._up(name)
        self.downs.append((died, time.monotonic()))

    async def _up(self, name: str) -> None:
        """Wait until it is up; one that ends at its start is started again, as a supervisor would."""
        process = self.targets.processes[name]
        while True:
            try:
                await asyncio.to_thread(process.wait_until_up)
            except AssertionError:
                if process.alive:
                    raise
                self.ended[name] += 1
                await asyncio.sleep(_AGAIN)
                process.spawn()
            else:
                return

    async def _kill_all(self, names: Sequence[str]) -> None:
        for name in names:
            victim, lives = self.targets.processes[name], self.targets.ear.lives
            await asyncio.to_thread(victim.kill)
            self.cut_off()
            lives[name] = lives.get(name, 0) + 1
            victim.spawn()
            self.killed[name] += 1

    async def _freeze(self, blow: ProcessFault) -> None:
        victims = [self.targets.processes[name] for name in blow.victims]
        for victim in victims:
            victim.signal(signal.SIGSTOP)
        self.cut_off()
        try:
            await asyncio.sleep(blow.lasts)
        finally:
            for victim in victims:
                victim.signal(signal.SIGCONT)
        await self._reachable(blow.victims)

    async def _step(self, blow: ProcessFault) -> None:
        for name in blow.victims:
            self.targets.clocks[name].put_off(blow.off)

    async def _fill(self, blow: ProcessFault) -> None:
        disk = self.targets.disk
        assert disk is not None
        await asyncio.to_thread(disk.fill)
        try:
            await asyncio.sleep(blow.lasts)
        finally:
            disk.free()

    async def _update(self, blow: ProcessFault) -> None:
        """Stop one after the other in order, and start each again before the next."""
        for name in blow.victims:
            victim, lives = self.targets.processes[name], self.targets.ear.lives
            await asyncio.to_thread(victim.terminate)
            self.cut_off()
            lives[name] = lives.get(name, 0) + 1
            victim.spawn()
            await self._up(name)

    async def _partition(self, blow: ProcessFault) -> None:
        cut = [each for name in blow.victims if (each := self.targets.networks[name].network) is not None]
        for network in cut:
            await asyncio.to_thread(network.lose)
        self.cut_off()
        try:
            await asyncio.sleep(blow.lasts)
        finally:
            for network in cut:
                await asyncio.to_thread(network.heal)
        # TCP sends again after a pause that doubles: what was lost comes at most as late as the cut was long.
        await asyncio.sleep(blow.lasts)
        await self._reachable(blow.victims)

    async def _hold(self, blow: ProcessFault) -> None:
        ways = [self.targets.networks[name] for name in blow.victims]
        gates: list[Gate] = []
        for way in ways:
            gates += way.gates if blow.shock == "hold" else [way.database]
        for gate in gates:
            gate.hold()
        self.cut_off()
        try:
            await asyncio.sleep(blow.lasts)
        finally:
            for gate in gates:
                gate.release()
        await self._reachable(blow.victims)

    async def _reachable(self, names: Sequence[str]) -> None:
        """Wait until they answer: what a platform hands to one that has yet to wake comes later, too."""
        for name in names:
            await asyncio.to_thread(self.targets.processes[name].wait_until_answers)

    def slowest(self) -> tuple[float, float]:
        """The longest start, from the kill on, and the longest wait from a start to the next answer."""
        times = sorted(self.board.answered.values())
        starts = [up - died for died, up in self.downs]
        waits = [next((at for at in times if at > up), up) - up for _, up in self.downs]
        return max(starts, default=0.0), max(waits, default=0.0)


def _holds(blow: ProcessFault) -> Sequence[str]:
    """What nobody else may hit meanwhile, in an order in which nobody waits for another for ever."""
    return sorted(blow.victims) or ["database" if blow.shock in DATABASE_FAULTS else blow.shock]
