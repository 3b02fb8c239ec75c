"""Runs by the clock: one for each time, whatever happens in between."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from cronsim import CronSim
from langgraph_sdk import schema as sdk
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError
from pydantic import TypeAdapter
from starlette.applications import Starlette

from parley.server.app import create_app
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.crons.schedule import next_time
from parley.server.options import EmbeddedOptions
from tests.kit.machine import patience
from tests.kit.samples import graphs
from tests.unit.server.test_app import HI


@dataclass
class Started:
    """A server whose clock the test sets."""

    client: LangGraphClient
    app: Starlette

    async def run_due(self) -> None:
        await self.app.state.services.crons.run_due()

    async def runs_of(self, thread: str) -> list[Any]:
        runs = await self.client.runs.list(thread, limit=100)
        for run in runs:
            await self.client.runs.join(thread, run["run_id"])
        return list(runs)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)

    def __call__(self) -> float:
        return self.now.timestamp()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def options(tmp_path: Path) -> EmbeddedOptions:
    return EmbeddedOptions(tmp_path / "agent.sqlite", {"echo": graphs.echo})


@asynccontextmanager
async def started(options: EmbeddedOptions, clock: Clock) -> AsyncIterator[Started]:
    app = create_app(options, clock)
    transport = StreamingASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://x", timeout=patience(30)) as http,
    ):
        yield Started(LangGraphClient(http), app)


async def test_each_time_makes_one_run_and_what_was_missed_is_made_once(
    options: EmbeddedOptions, clock: Clock
) -> None:
    async with started(options, clock) as server:
        thread = (await server.client.threads.create())["thread_id"]
        cron: Any = await server.client.crons.create_for_thread(
            thread, "echo", schedule="*/10 * * * *", input=HI, metadata={"for": "ada"}
        )
        await server.run_due()
        assert await server.runs_of(thread) == []
        clock.now += timedelta(minutes=10)
        await server.run_due()
        await server.run_due()
        [run] = await server.runs_of(thread)
        assert run["metadata"] == {"for": "ada", "cron_id": cron["cron_id"]}
    clock.now += timedelta(hours=5)
    async with started(options, clock) as server:
        await server.run_due()
        assert len(await server.runs_of(thread)) == 2
        [found] = await server.client.crons.search(thread_id=thread)
        assert found["next_run_date"] == "2026-03-02T13:20:00+00:00"


async def test_a_cron_is_changed_switched_off_and_forgotten(options: EmbeddedOptions, clock: Clock) -> None:
    async with started(options, clock) as server:
        crons = server.client.crons
        made: Any = await crons.create("echo", schedule="0 9 * * *", timezone="Europe/Berlin", input=HI)
        assert TypeAdapter(sdk.Cron).validate_python(made)
        assert made["next_run_date"] == "2026-03-03T08:00:00+00:00"
        await crons.update(made["cron_id"], enabled=False, schedule="* * * * *")
        clock.now += timedelta(minutes=5)
        await server.run_due()
        assert await server.client.threads.count() == 0
        await crons.update(made["cron_id"], enabled=True, end_time=clock.now + timedelta(seconds=90))
        assert await crons.count(assistant_id=made["assistant_id"]) == 1
        clock.now += timedelta(minutes=1)
        await server.run_due()
        [ended] = await crons.search()
        assert ended["next_run_date"] is None
        await crons.delete(made["cron_id"])
        with pytest.raises(NotFoundError):
            await crons.delete(made["cron_id"])


async def test_with_its_thread_a_cron_is_gone(options: EmbeddedOptions, clock: Clock) -> None:
    async with started(options, clock) as server:
        thread = (await server.client.threads.create())["thread_id"]
        await server.client.crons.create_for_thread(thread, "echo", schedule="* * * * *", input=HI)
        await server.client.threads.delete(thread)
        assert await server.client.crons.search() == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"schedule": "soon"}, "schedule"),
        ({"schedule": "0 0 30 2 *"}, "schedule"),
        ({"schedule": "* * * * * *"}, "schedule"),
        ({"schedule": "0 0 1 1 *" + " " * 300}, "schedule"),
        ({"schedule": "* * * * *", "timezone": "../etc/passwd"}, "timezone"),
        ({"schedule": "* * * * *", "webhook": "http://10.0.0.1"}, "webhook"),
    ],
)
async def test_what_could_never_run_is_refused(
    options: EmbeddedOptions, clock: Clock, wrong: dict[str, Any], said: str
) -> None:
    async with started(options, clock) as server:
        with pytest.raises(UnprocessableEntityError, match=said):
            await server.client.crons.create("echo", input=HI, **wrong)


def test_a_schedule_goes_by_the_clock_on_the_wall() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    before = datetime(2026, 3, 28, 9, 0, tzinfo=berlin)
    following = next_time("30 8 * * *", "Europe/Berlin", before.timestamp())
    assert following == datetime(2026, 3, 29, 8, 30, tzinfo=berlin).timestamp()
    assert following - before.timestamp() == 22.5 * 3600


@pytest.mark.parametrize("schedule", ["30 2 * * *", "15,45 2,3 * * *", "*/20 * * * *", "30 * * * *"])
@pytest.mark.parametrize(
    ("zone", "day"), [("Europe/Berlin", (2026, 10, 25)), ("Australia/Lord_Howe", (2026, 4, 5))]
)
def test_the_hour_that_comes_twice_makes_no_time_that_has_been(
    schedule: str, zone: str, day: tuple[int, int, int]
) -> None:
    """From every minute of that night the next time is the one that the library finds from the evening on."""
    evening = datetime(*day, tzinfo=ZoneInfo(zone)).timestamp() - 3600
    steps = CronSim(schedule, datetime.fromtimestamp(evening, ZoneInfo(zone)))
    times = [next(steps).timestamp() for _ in range(60)]
    for minute in range(7 * 60):
        now = evening + 60 * minute
        assert next_time(schedule, zone, now) == next(each for each in times if each > now)


async def test_a_cron_runs_once_in_a_night_that_has_an_hour_twice(
    options: EmbeddedOptions, clock: Clock
) -> None:
    clock.now = datetime(2026, 10, 24, 22, 0, tzinfo=UTC)
    async with started(options, clock) as server:
        thread = (await server.client.threads.create())["thread_id"]
        await server.client.crons.create_for_thread(
            thread, "echo", schedule="30 2 * * *", timezone="Europe/Berlin", input=HI
        )
        for minutes in (200, 5, 5, 60, 60):  # at the first look it is 02:20 again
            clock.now += timedelta(minutes=minutes)
            await server.run_due()
        assert len(await server.runs_of(thread)) == 1


async def test_nothing_runs_at_the_end_or_after_it(options: EmbeddedOptions, clock: Clock) -> None:
    end = clock.now + timedelta(hours=1)
    async with started(options, clock) as server:
        crons = server.client.crons
        at_end: Any = await crons.create("echo", schedule="0 9 * * *", end_time=end, input=HI)
        assert at_end["next_run_date"] is None
        thread = (await server.client.threads.create())["thread_id"]
        late: Any = await crons.create_for_thread(
            thread, "echo", schedule="30 8 * * *", end_time=end, input=HI
        )
        assert late["next_run_date"] == "2026-03-02T08:30:00+00:00"
        clock.now += timedelta(hours=3)
        await server.run_due()
        assert await server.runs_of(thread) == []
        [after] = await crons.search(thread_id=thread)
        assert after["next_run_date"] is None


async def test_an_end_that_no_calendar_has_is_refused(options: EmbeddedOptions, clock: Clock) -> None:
    async with started(options, clock) as server:
        order = {"assistant_id": "echo", "schedule": "* * * * *", "input": HI}
        with pytest.raises(UnprocessableEntityError, match="end_time"):
            await server.client.http.post(
                "/runs/crons", json=order | {"end_time": "9999-12-31T23:59:59-12:00"}
            )
        assert await server.client.crons.search() == []


async def test_one_zone_that_is_no_more_stops_nobody_else(options: EmbeddedOptions, clock: Clock) -> None:
    async with started(options, clock) as server:
        gone: Any = await server.client.crons.create(
            "echo", schedule="* * * * *", timezone="Europe/Kyiv", input=HI
        )
        thread = (await server.client.threads.create())["thread_id"]
        await server.client.crons.create_for_thread(thread, "echo", schedule="* * * * *", input=HI)
    with (
        closing(sqlite3.connect(options.database)) as database,
        database,
    ):  # as a machine whose zones are older has it
        database.execute("UPDATE crons SET timezone = 'Europe/Gone' WHERE cron_id = ?", [gone["cron_id"]])
    async with started(options, clock) as server:
        for _ in range(2):
            clock.now += timedelta(minutes=1)
            await server.run_due()
        assert len(await server.runs_of(thread)) == 2
        found: Any = await server.client.http.get(f"/runs/crons/{gone['cron_id']}")
        assert found["next_run_date"] is None
