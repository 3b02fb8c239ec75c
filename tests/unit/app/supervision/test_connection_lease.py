"""Of several nodes one listens where a platform has one connection only."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

import pytest

from parley.app.supervision.channel_supervisor import ChannelSupervisor
from parley.app.supervision.connection_lease import LEASE_SECONDS, ConnectionLeaseLost, ExclusiveLease
from parley.core.model.errors import LaneLost, StoreUnavailable
from parley.core.ports.health import Health
from parley.core.ports.lease import require_lease
from parley.store.nodes import LeaseHolder, Node
from tests.kit.doubles.scripted_channel import ScriptedChannel
from tests.kit.virtual_time import loop_time, run_in_virtual_time


class Table:
    """Who holds what, as the store keeps it; `broken` is a store that is out of reach."""

    def __init__(self) -> None:
        self.holder = ""
        self.until = 0.0
        self.broken = False
        self.asked = asyncio.Event()
        self.freed = asyncio.Event()
        self.prolonged = asyncio.Semaphore(0)


class NodeAt:
    """One node at the table."""

    def __init__(self, table: Table, name: str) -> None:
        self._table = table
        self.name = name

    def set_report(self, report: str) -> None:
        raise AssertionError("not in these tests")

    def shared_clock(self, own: Callable[[], float]) -> Callable[[], float]:
        raise AssertionError("not in these tests")

    async def list_nodes(self, queues: str) -> Sequence[Node]:
        raise AssertionError("not in these tests")

    def changes(self) -> int:
        raise AssertionError("not in these tests")

    async def wait_for_change(self, seen: int, timeout: float) -> None:
        raise AssertionError("not in these tests")

    async def acquire_lease(self, what: str, seconds: float) -> LeaseHolder:
        table, now = self._table, asyncio.get_running_loop().time()
        table.asked.set()
        if table.broken:
            raise StoreUnavailable("away")
        if table.holder in ("", self.name) or table.until <= now:
            table.holder, table.until = self.name, now + seconds
            table.prolonged.release()
        return LeaseHolder(table.holder, table.until - now)

    async def release_lease(self, what: str) -> None:
        if self._table.holder == self.name:
            self._table.holder = ""
            self._table.freed.set()

    async def wait_for_release(self, what: str, timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                await self._table.freed.wait()
        except TimeoutError:
            return


class Reasons:
    """What one who stands by is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.some = asyncio.Event()

    def __call__(self, why: str) -> None:
        self.told.append(why)
        self.some.set()


def seat(node: NodeAt) -> ExclusiveLease:
    return ExclusiveLease(node, "telegram", clock=loop_time)


async def sit(seat: ExclusiveLease, then: Callable[[], None] = lambda: None) -> None:
    """Take the seat, do something, and stay."""
    async with seat.acquire(Reasons()):
        then()
        await asyncio.Event().wait()


@run_in_virtual_time
async def test_a_second_node_stands_by_until_the_first_leaves():
    table, reasons = Table(), Reasons()
    first, second = (seat(NodeAt(table, name)) for name in ("a", "b"))
    seated = asyncio.Event()

    async def wait() -> None:
        async with second.acquire(reasons):
            seated.set()
            await asyncio.Event().wait()

    async with first.acquire(Reasons()):
        waiting = asyncio.create_task(wait())
        await reasons.some.wait()
        assert not seated.is_set()
    await seated.wait()
    assert reasons.told[0] == "node a has the connection"
    waiting.cancel()
    await asyncio.wait([waiting])
    assert table.holder == ""


@run_in_virtual_time
async def test_it_is_kept_for_longer_than_one_lease():
    table = Table()
    async with seat(NodeAt(table, "a")).acquire(Reasons()):
        for _ in range(10):
            await table.prolonged.acquire()
        assert table.holder == "a"
        require_lease()


@run_in_virtual_time
async def test_who_cannot_prolong_it_leaves_before_it_is_over():
    table = Table()

    def fail() -> None:
        table.broken = True

    with pytest.raises(ConnectionLeaseLost):
        await sit(seat(NodeAt(table, "a")), fail)
    assert table.until > asyncio.get_running_loop().time()


@run_in_virtual_time
async def test_whoever_sees_another_there_leaves_at_once():
    table = Table()

    def intrude() -> None:
        table.holder, table.until = "b", math.inf

    with pytest.raises(ConnectionLeaseLost):
        await sit(seat(NodeAt(table, "a")), intrude)
    assert table.holder == "b"
    assert loop_time() < LEASE_SECONDS / 2


@run_in_virtual_time
async def test_what_fails_inside_is_not_taken_for_a_lost_seat():
    with pytest.raises(TimeoutError, match="mine"):
        async with seat(NodeAt(Table(), "a")).acquire(Reasons()):
            raise TimeoutError("mine")


@run_in_virtual_time
async def test_calls_that_begin_when_it_is_nearly_over_are_refused():
    table, polling = Table(), []

    async def poll() -> None:
        while True:
            require_lease()
            await asyncio.sleep(0.01)

    def fail() -> None:
        table.broken = True
        polling.append(asyncio.create_task(poll()))

    with pytest.raises(ConnectionLeaseLost):
        await sit(seat(NodeAt(table, "a")), fail)
    with pytest.raises(LaneLost):
        await polling[0]


@run_in_virtual_time
async def test_a_channel_says_that_it_stands_by_and_listens_when_it_may():
    table = Table()
    table.holder, table.until = "b", math.inf

    async def nobody(anything: object) -> str:
        raise AssertionError("nothing is said in this test")

    channel = ScriptedChannel()
    supervisor = ChannelSupervisor(channel, nobody, nobody, seat=seat(NodeAt(table, "a")))
    running = asyncio.create_task(supervisor.run())
    await table.asked.wait()
    await asyncio.sleep(0)
    assert supervisor.report().health is Health.STANDBY
    assert supervisor.report().detail == "node b has the connection"
    table.holder = ""
    table.freed.set()
    await channel.settled.wait()
    assert supervisor.report().health is Health.UP
    running.cancel()
    await asyncio.wait([running])
