"""Locks of servers, and what they tell each other."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import psycopg
import pytest

from parley.server.storage.interface import Cluster, PostgresPlace, Storage
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index
from tests.kit.machine import patience
from tests.kit.waiting import until
from tests.postgres.agent_server import frozen_server

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


@pytest.fixture
async def storages(place: PostgresPlace) -> AsyncIterator[list[Storage]]:
    patient = replace(place, lease=patience(6))
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_postgres(patient, no_index)) for _ in range(2)]


def clusters(storages: list[Storage]) -> tuple[Cluster, Cluster]:
    a, b = [each.cluster for each in storages]
    assert a is not None
    assert b is not None
    return a, b


async def test_a_lock_is_one_servers_until_it_lets_go(storages: list[Storage]) -> None:
    a, b = clusters(storages)
    assert await a.acquire("x")
    assert await a.acquire("x"), "it has it already: an answer may have been lost"
    assert not await b.acquire("x")
    await b.release("x")
    assert not await b.acquire("x"), "nobody lets go for another one"
    await a.release("x")
    assert await b.acquire("x")
    assert [await a.leads(), await b.leads(), await a.leads()] == [True, False, True]


async def test_who_counts_as_dead_has_lost_its_locks_and_comes_back_under_another_name(
    storages: list[Storage], place: PostgresPlace
) -> None:
    a, b = clusters(storages)
    name, lost = a.name, []
    a.on_lost(lambda: lost.append(True))
    assert await a.acquire("x")
    with psycopg.connect(place.url, autocommit=True) as connection:
        connection.execute(f"DELETE FROM {place.schema}.nodes WHERE name = %s".encode(), (name,))
    assert await b.acquire("x")
    await until(lambda: a.name != name, "it is one of them again")
    assert lost == [True]
    assert not await a.acquire("x")


async def test_one_that_stands_still_in_the_middle_of_a_transaction_keeps_nothing(
    storages: list[Storage], place: PostgresPlace, caplog: pytest.LogCaptureFixture
) -> None:
    a, _ = clusters(storages)
    lost: list[bool] = []
    a.on_lost(lambda: lost.append(True))
    frozen = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", frozen_server.__name__, place.url, place.schema, str(place.lease), "x")
    )
    try:
        await asyncio.to_thread(os.waitid, os.P_PID, frozen.pid, os.WSTOPPED | os.WNOWAIT)
        await until(lambda: a.acquire("x"), "its lease is over", 40)
        assert lost == [], "who lives goes on"
        assert "transactions of servers that stand still were ended: 1" in caplog.text
        frozen.send_signal(signal.SIGCONT)
        assert await frozen.wait() == frozen_server.REFUSED
    finally:
        if frozen.returncode is None:
            frozen.kill()


async def test_all_hear_what_is_announced_and_outlive_nonsense(
    storages: list[Storage], place: PostgresPlace
) -> None:
    a, b = clusters(storages)
    heard: list[str] = []

    def hear(text: str) -> None:
        who, _ = text.split(" ")
        heard.append(who)

    b.subscribe("topic", hear)
    with psycopg.connect(place.url, autocommit=True) as connection:
        connection.execute("SELECT pg_notify(%s, 'topic nonsense'), pg_notify(%s, '')", (place.schema,) * 2)
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        )

    async def told() -> bool:
        try:
            await storages[0].database.write(a.announce("topic", "a b"))
        except storages[0].database.errors:
            return False
        return "a" in heard

    await until(told, "it is heard, once the connections are there again")
