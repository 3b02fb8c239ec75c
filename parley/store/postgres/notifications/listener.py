"""Hearing from all nodes that a queue has work, and their news."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

import psycopg
from psycopg import sql

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import STORE_PAUSE
from parley.store.postgres.database.connection import PostgresLocation, connect
from parley.store.postgres.database.error_mapping import map_error
from parley.store.postgres.notifications.notifier import PostgresNotifier

log = logging.getLogger("parley.store")

CHECK_EVERY = 30.0
"""Seconds after which a node asks whether it still hears itself."""


async def listen(
    where: PostgresLocation,
    news: PostgresNotifier,
    heard: Mapping[str, Callable[[str], None]],
    listening: asyncio.Event,
    check_every: float = CHECK_EVERY,
) -> None:
    """Hand over what other nodes say, until cancelled; a lost connection is opened again.

    `heard` are the channels, and who takes what comes there.

    It needs a session of its own: a transaction-mode pooler drops what it hears, and then waiting ends
    with the next look only. A connection that stands and hears nothing is opened again, too. `listening` is
    set at the first success.
    """
    failures = 0
    while True:
        try:
            connection = await connect(where)
            try:
                for channel in heard:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                failures = 0
                listening.set()
                news.on_gap()  # whatever was said meanwhile
                await _hear(connection, news, heard, check_every)
            finally:
                await connection.close()
        except (StoreUnavailable, psycopg.Error) as error:
            failures += 1
            if failures == 2:  # one that was ended alone is there again at once
                failures = await _tell(where, news, error)
        await asyncio.sleep(STORE_PAUSE)


async def _tell(
    where: PostgresLocation, news: PostgresNotifier, error: StoreUnavailable | psycopg.Error
) -> int:
    """Say that others are not heard; returns how many failures count. Who writes says that all is away."""
    try:
        await news.call_itself()
    except StoreUnavailable:
        return 1
    line = error if isinstance(error, StoreUnavailable) else map_error(where.place, error)
    log.warning("%s Other nodes are not heard until it is back.", line)
    return 2


async def _hear(
    connection: psycopg.AsyncConnection[object],
    news: PostgresNotifier,
    heard: Mapping[str, Callable[[str], None]],
    every: float,
) -> None:
    """Take what comes, until the connection is lost or proves deaf."""
    while True:
        await news.call_itself()
        async for notice in connection.notifies(timeout=every):
            heard[notice.channel](notice.payload)
        if not news.check_hearing():
            return
