"""A node calls itself now and then: where that does not arrive, it says so, and again when it does."""

from __future__ import annotations

import asyncio
import logging
from typing import cast

import pytest

from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.postgres.notifications.notifier import PostgresNotifier
from parley.store.queue_events import QueueEvents
from parley.store.rows import Row


class Wire:
    """Where notices are handed over; they arrive when the test says so."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def submit(self, call: SqlCall) -> asyncio.Future[list[Row]]:
        self.sent += cast("list[str]", call.values[1])
        answer: asyncio.Future[list[Row]] = asyncio.get_running_loop().create_future()
        answer.set_result([(1, None)])
        return answer


def node(wire: Wire) -> PostgresNotifier:
    return PostgresNotifier(cast("Batcher", wire), "parley", QueueEvents())


async def test_a_node_that_hears_itself_is_not_deaf(caplog: pytest.LogCaptureFixture):
    wire = Wire()
    news = node(wire)
    for _ in range(2):
        await news.call_itself()
        news.take(wire.sent.pop())
        assert news.check_hearing()
    assert not news.deaf
    assert caplog.records == []


async def test_what_others_tell_does_not_count(caplog: pytest.LogCaptureFixture):
    wire, elsewhere = Wire(), Wire()
    news, other = node(wire), node(elsewhere)
    await news.call_itself()
    await other.call_itself()
    news.take(elsewhere.sent.pop())
    assert not news.check_hearing()
    assert news.deaf


async def test_deafness_is_said_once_and_its_end_once(caplog: pytest.LogCaptureFixture):
    wire = Wire()
    news = node(wire)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await news.call_itself()
            assert not news.check_hearing()
        news.take(wire.sent[-1])
        assert news.check_hearing()
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "store.listen_url" in said[0]
    assert "arrive again" in said[1]
