"""Hearing from all nodes that a queue has work, and their news."""

from __future__ import annotations

import asyncio
import logging

import psycopg
from psycopg import sql

from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.database.connection import PostgresLocation, connect
from parley.store.postgres.database.error_mapping import map_error
from parley.store.postgres.notifications.notifier import PostgresNotifier

log = logging.getLogger("parley.store")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # seconds between attempts to listen again


async def listen(where: PostgresLocation, news: PostgresNotifier, listening: asyncio.Event) -> None:
    """Hand over what other nodes say, until cancelled; a lost connection is opened again.

    It needs a session of its own: a transaction-mode pooler drops what it hears, and then waiting ends
    with the next look only. `listening` is set at the first success.
    """
    pause = _FIRST_PAUSE
    while True:
        try:
            connection = await connect(where)
            try:
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(where.schema)))
                pause = _FIRST_PAUSE
                listening.set()
                news.on_gap()  # whatever was said meanwhile
                async for notice in connection.notifies():
                    news.take(notice.payload)
            finally:
                await connection.close()
        except (StoreUnavailable, psycopg.Error) as error:
            line = error if isinstance(error, StoreUnavailable) else map_error(where.place, error)
            log.warning("%s Listening again in %.1f s.", line, pause)
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
