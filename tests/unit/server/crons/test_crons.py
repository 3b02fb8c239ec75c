"""Runs by the clock: one for each time, whatever happens in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
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
