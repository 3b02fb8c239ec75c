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
    loss = _Loss(where.place, news)
    while True:
        try:
            connection = await connect(where)
            try:
                for channel in heard:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                loss = _Loss(where.place, news)
                listening.set()
                news.on_gap()  # whatever was said meanwhile
                await _hear(connection, news, heard, check_every)
            finally:
                await connection.close()
        except (StoreUnavailable, psycopg.Error) as error:
            await loss.note_failure(error)
        await asyncio.sleep(STORE_PAUSE)


class _Loss:
    """Tells the loss of the listening connection alone from an outage, which is told by who writes."""

    def __init__(self, place: str, news: PostgresNotifier) -> None:
        self._place = place
        self._news = news
        self._session: int | None = None

    async def note_failure(self, error: StoreUnavailable | psycopg.Error) -> None:
        """Say that others are not heard, once that is sure.

        One session of the server that answers before an attempt and after it: the database was there all the
        while. An answer alone proves nothing, since the database may have been away and be back.
        """
        before = self._session
        try:
            self._session = await self._news.call_itself()
        except StoreUnavailable:
            self._session = None
            return
        if before == self._session:
            line = error if isinstance(error, StoreUnavailable) else map_error(self._place, error)
            self._news.note_lost(f"{line} Other nodes are not heard until it is back.")


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
