"""Health is asked for, kept, and told with the time it began."""

import asyncio

from parley.app.monitoring.health import HealthMonitor
from parley.app.supervision.channel_supervisor import ChannelSupervisors
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.health import Health, HealthReport
from parley.core.ports.journal import Document
from tests.kit.doubles.core import ScriptedAgent


class Disk:
    """Documents on a disk that can be full. `looked` is set after every attempt."""

    def __init__(self):
        self.full = False
        self.looked = asyncio.Event()
        self._document = Document("", "", 0)

    async def get(self, key):
        return self._document

    async def set(self, document):
        self.looked.set()
        if self.full:
            raise StoreUnavailable("the disk is full")
        self._document = Document(document.key, document.body, document.version + 1)
        return self._document

    async def list(self, prefix, limit=1000, after=""):
        return []

    async def delete(self, key):
        return None


class Server(ScriptedAgent):
    """An agent that says how it is, and nothing else."""

    async def health(self) -> HealthReport:
        return HealthReport("somebody", Health.RETRYING, "away", 7.0)


async def looked(disk):
    disk.looked.clear()
    await disk.looked.wait()
    # The report is written in the step after the attempt.
    await asyncio.sleep(0)


async def test_a_store_that_cannot_be_written_is_shown_and_seen_to_recover():
    disk = Disk()
    pulse = HealthMonitor(disk, Server(), ChannelSupervisors([]), every=0.001, clock=lambda: 42.0)
    states = [pulse.reports()[0].health]
    task = asyncio.create_task(pulse.run())
    for disk.full in (False, True, False):
        await looked(disk)
        states.append(pulse.reports()[0].health)
    task.cancel()
    assert states == [Health.STARTING, Health.UP, Health.RETRYING, Health.UP]


async def test_the_agents_report_keeps_its_reason_and_time():
    disk = Disk()
    pulse = HealthMonitor(disk, Server(), ChannelSupervisors([]), every=0.001)
    task = asyncio.create_task(pulse.run())
    await looked(disk)
    task.cancel()
    assert pulse.reports()[1] == HealthReport("agent", Health.RETRYING, "away", 7.0)


async def test_a_look_sees_a_disk_that_is_full_at_once_and_sees_it_recover():
    disk, now = Disk(), [0.0]
    pulse = HealthMonitor(disk, Server(), ChannelSupervisors([]), every=3600.0, clock=lambda: now[0])
    states = []
    for disk.full in (False, True, False):
        now[0] += 1.0
        await pulse.refresh()
        states.append(pulse.reports()[0].health)
    assert states == [Health.UP, Health.RETRYING, Health.UP]


async def test_many_who_look_in_one_moment_look_once():
    disk = Disk()
    pulse = HealthMonitor(disk, Server(), ChannelSupervisors([]), every=3600.0, clock=lambda: 42.0)
    await asyncio.gather(*(pulse.refresh() for _ in range(20)))
    assert (await disk.get("")).version == 1


async def test_what_is_in_doubt_is_looked_at_anew():
    disk = Disk()
    pulse = HealthMonitor(disk, Server(), ChannelSupervisors([]), every=3600.0, clock=lambda: 42.0)
    await pulse.refresh()
    disk.full = True
    await pulse.refresh()
    assert pulse.reports()[0].health is Health.UP
    pulse.recheck()
    await pulse.refresh()
    assert pulse.reports()[0].health is Health.RETRYING
