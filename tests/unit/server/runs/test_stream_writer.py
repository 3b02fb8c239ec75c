"""Events of runs that could not be written down are written down next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from parley.server.runs.event_log import RunEventLog
from parley.server.runs.payload import RunPayload
from parley.server.runs.stream_writer import StreamWriter
from parley.server.runs.thread_queues import ActiveRun
from parley.server.storage.interface import Cluster, Database, Statement
from parley.server.storage.tables import RunRow


class GatedDatabase:
    """Keeps statements once it is let go on; it fails instead where it is `away`."""

    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self) -> None:
        self.reached, self.gate = asyncio.Event(), asyncio.Event()
        self.away = False
        self.kept: list[int] = []
        self.begun = 0

    async def write(self, *statements: Statement) -> None:
        self.reached.set()
        await self.gate.wait()
        if self.away:
            raise OSError
        events = [each for each in statements if "stream_events" in each.sql]
        self.begun += sum("INTO streams" in each.sql for each in statements)
        self.kept += [cast("int", row[1]) for each in events for row in each.rows]


class LoneCluster:
    """Announces to nobody."""

    name = "a"

    def clock(self) -> float:
        return 0.0

    def announce(self, topic: str, text: str) -> Statement:
        return Statement("SELECT ?", [(topic,)])

    def on_lost(self, give_up: Callable[[], None]) -> None:
        """It is never lost."""


def streamed(writer: StreamWriter) -> tuple[ActiveRun, RunEventLog]:
    """Return a run whose events are written down, and its log."""
    row = RunRow(
        run_id="run", thread_id="thread", graph_id="walk", created_at=0.0, updated_at=0.0, status="running",
        strategy="enqueue", temporary=False, attempt=1, metadata={}, payload=b"", mark="",
    )  # fmt: skip
    log = RunEventLog(100, 10_000)
    run = ActiveRun(row, RunPayload(assistant_id="walk"), log)
    log.sink = lambda event: writer.append(run, event)
    return run, log


@pytest.fixture
def database() -> GatedDatabase:
    return GatedDatabase()


@pytest.fixture
def writer(database: GatedDatabase) -> StreamWriter:
    return StreamWriter(cast("Database", database), cast("Cluster", LoneCluster()))


@pytest.mark.parametrize("cancelled", [True, False])
async def test_what_could_not_be_written_is_written_next(
    writer: StreamWriter, database: GatedDatabase, cancelled: bool
) -> None:
    run, log = streamed(writer)
    log.append("updates", 1)
    database.away = True
    writing = asyncio.create_task(writer.flush())
    await database.reached.wait()
    writer.begin(run)
    log.append("updates", 2)
    if cancelled:
        writing.cancel()
    database.gate.set()
    with pytest.raises((OSError, asyncio.CancelledError)):
        await writing
    database.away = False
    await writer.flush()
    assert database.kept == [1, 2]
    assert database.begun == 1, "also that an attempt has begun meanwhile"
