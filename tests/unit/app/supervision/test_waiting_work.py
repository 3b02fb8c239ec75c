"""Work of channels that are not on: seen, and said once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from parley.app.doctor.context import DoctorContext, RunningState
from parley.app.doctor.store import probe_waiting_work
from parley.app.settings.load import read_settings
from parley.app.supervision.waiting_work import WaitingWork
from parley.core.model.queues import LEARNING, command_queue, turn_queue
from parley.core.ports.health import WAITING, Health, HealthReport
from parley.core.ports.journal import NewQueueItem
from parley.store.sqlite.journal import SqliteStore

WORK = (
    NewQueueItem(turn_queue("support"), "support:C1", "{}"),
    NewQueueItem(turn_queue("support"), "support:C2", "{}"),
    NewQueueItem(command_queue("old"), "old:C1", "{}"),
    NewQueueItem(turn_queue("slack"), "slack:C1", "{}"),
    NewQueueItem(LEARNING, "slack:ann", "{}"),
)


async def test_what_waits_for_a_channel_that_is_not_on_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    now, on = [time.time()], ["slack", "web"]
    async with SqliteStore.open(tmp_path / "parley.db", clock=lambda: now[0]) as store:
        work = WaitingWork(store, lambda: on, lambda: now[0])
        await store.put(*WORK)
        await work.look()
        assert work.reports() == (), "another node may be doing it"
        now[0] += 60.0
        await work.look()
        await work.look()
        (report,) = work.reports()
        assert (report.name, report.health) == (WAITING, Health.OFF)
        assert "old (1), support (2)" in report.detail
        assert [each.getMessage().count("support") for each in caplog.records] == [0, 1]
        on += ["support", "old"]
        await work.look()
        assert work.reports() == ()


async def test_the_doctor_says_so_without_and_with_a_running_parley(tmp_path: Path) -> None:
    loaded = read_settings("", "config.yaml", {}, tmp_path)
    (tmp_path / "data").mkdir()
    context = DoctorContext(loaded, None)
    assert [each async for each in probe_waiting_work(context)] == [], "there is no store yet"
    async with SqliteStore.open(tmp_path / "data" / "parley.db") as store:
        await store.put(*WORK)
    (found,) = [each async for each in probe_waiting_work(context)]
    assert found.text.endswith("old (1), slack (1), support (2)")
    assert "bring a section back" in found.remedy
    told = HealthReport(WAITING, Health.OFF, "support (2) waits; its section is missing", 0.0)
    beside = DoctorContext(loaded, RunningState({WAITING: told}))
    (found,) = [each async for each in probe_waiting_work(beside)]
    assert found.text == "support (2) waits"
