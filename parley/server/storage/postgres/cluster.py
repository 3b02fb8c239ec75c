"""This server among those that share the schema: its sign of life, its locks, and what is announced."""

# ruff: noqa: S608  (built from the constants of this file)

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

import psycopg
from psycopg import sql

from parley.server.storage.interface import PostgresPlace, Statement
from parley.server.storage.postgres.completion import complete
from parley.server.storage.postgres.database import LOCK_CLASS, PostgresDatabase
from parley.server.storage.postgres.schema import Connection

_log = logging.getLogger(__name__)

_NOW = "extract(epoch FROM clock_timestamp())::float8"
_ENTER = f"INSERT INTO nodes VALUES (%s, {_NOW} + %s::float8) RETURNING {_NOW}"
_RENEW = f"UPDATE nodes SET until = {_NOW} + %s::float8 WHERE name = %s RETURNING {_NOW}"
_END_SESSIONS = f"""SELECT pg_terminate_backend(l.pid)
    FROM nodes n, pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE n.until <= {_NOW} AND l.locktype = 'advisory' AND l.objsubid = 2
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.classid = {LOCK_CLASS}::oid AND l.objid = hashtext(n.name)::oid
    AND pg_has_role(a.usesysid, 'USAGE')"""
_BURY = f"""DELETE FROM nodes WHERE name IN
    (SELECT name FROM nodes WHERE until <= {_NOW} FOR UPDATE SKIP LOCKED)"""
_LEAVE = "DELETE FROM nodes WHERE name = %s"
_LOCK = (
    "INSERT INTO locks AS l VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET node = excluded.node"
    " WHERE l.node = excluded.node RETURNING 1"
)
_UNLOCK = "DELETE FROM locks WHERE name = ANY(%s) AND node = %s"
_PAUSE = 0.3
_LOOK_EVERY = 2.0
"""Seconds after which servers look for what is due, or what a dead one left."""


class PostgresCluster:
    """The Cluster port. A server whose row is gone has another name from then on, and holds nothing."""

    errors: tuple[type[Exception], ...] = PostgresDatabase.errors

    def __init__(self, database: PostgresDatabase, place: PostgresPlace) -> None:
        self._database = database
        self._place = place
        self._renewed = time.monotonic()
        self._ahead = 0.0
        self._leading = ""
        self._unwanted: set[str] = set()
        self._releasing = asyncio.Lock()
        self._has_given_up = False
        self._hearers: defaultdict[str, list[Callable[[str], None]]] = defaultdict(list)
        self._lookers: list[Callable[[], None]] = []
        self._losers: list[Callable[[], None]] = []

    @property
    def name(self) -> str:
        return self._database.node

    @property
    def clock(self) -> Callable[[], float]:
        return lambda: time.time() + self._ahead

    async def acquire(self, name: str) -> bool:
        async with self._releasing:
            self._unwanted.discard(name)
        return await complete(self._acquire(name))

    async def _acquire(self, name: str) -> bool:
        # Synced: of a database that crashes nobody else may get what this server goes on with.
        async with self._database.fenced(durable=True) as cursor:
            await cursor.execute(_LOCK, (name, self._database.node))
            return await cursor.fetchone() is not None

    async def release(self, name: str) -> None:
        await complete(self._release(name))

    async def _release(self, name: str) -> None:
        done = "DELETE FROM locks WHERE name = ? AND node = ?"
        try:
            await self._database.write(Statement(done, [(name, self._database.node)]))
        except BaseException:
            self._unwanted.add(name)
            raise

    async def leads(self) -> bool:
        if self._leading != self._database.node and await self.acquire("leader"):
            self._leading = self._database.node
        return self._leading == self._database.node

    def announce(self, topic: str, text: str) -> Statement:
        return Statement("SELECT pg_notify(?, ?)", [(self._place.schema, f"{topic} {text}")])

    def subscribe(self, topic: str, hear: Callable[[str], None]) -> None:
        self._hearers[topic].append(hear)

    def on_gap(self, look: Callable[[], None]) -> None:
        self._lookers.append(look)

    def on_lost(self, give_up: Callable[[], None]) -> None:
        self._losers.append(give_up)

    @asynccontextmanager
    async def living(self) -> AsyncIterator[None]:
        """Be one of the servers; on leaving, what this one holds is free at once."""
        async with self._connection() as connection:
            await self._enter(connection)
        keeper = asyncio.create_task(self._live(), name="agent-server-lease")
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.wait([keeper])
            with suppress(*self._database.errors):
                await self._database.write(
                    Statement("DELETE FROM nodes WHERE name = ?", [(self._database.node,)]),
                    self.announce("free", ""),
                )

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        connection = await psycopg.AsyncConnection.connect(
            self._place.url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=5,
            application_name="parley-agent-lease",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
        )
        async with connection:
            where = sql.Identifier(self._place.schema)
            await connection.execute(sql.SQL("SET search_path TO {}, public").format(where))
            yield connection

    async def _enter(self, connection: Connection) -> None:
        asked, name = time.monotonic(), uuid4().hex
        cursor = await connection.execute(_ENTER, (name, self._place.lease))
        await self._read_clock(cursor)
        self._renewed, self._database.node = asked, name

    async def _live(self) -> None:
        """Show that this server lives, and hear the others, on a connection that no work holds up."""
        away = False
        while True:
            try:
                async with self._connection() as connection:
                    where = sql.Identifier(self._place.schema)
                    await connection.execute(sql.SQL("LISTEN {}").format(where))
                    if away:
                        _log.warning("the agent server's database is back")
                    away = False
                    await self._hear(connection)
            except (psycopg.Error, OSError, TimeoutError) as error:
                if not away:
                    _log.warning("the agent server's database is away: %s", str(error).partition("\n")[0])
                away = True
                if time.monotonic() - self._renewed > self._place.lease:
                    self._tell_lost()
            await asyncio.sleep(_PAUSE)

    async def _hear(self, connection: Connection) -> None:
        due = 0.0
        while True:
            if time.monotonic() >= due:
                due = time.monotonic() + self._place.lease / 3
                async with asyncio.timeout(self._place.lease / 2):
                    await self._renew(connection)
            for look in self._lookers:
                look()
            rest = min(_LOOK_EVERY, max(due - time.monotonic(), 0.01))
            async for notice in connection.notifies(timeout=rest):
                topic, _, text = notice.payload.partition(" ")
                for hear in self._hearers.get(topic, ()):
                    try:
                        hear(text)
                    except ValueError:  # whoever may use the database may announce anything
                        _log.warning("an announcement about %s was not understood", topic[:40])

    async def _renew(self, connection: Connection) -> None:
        asked = time.monotonic()
        if self._has_given_up:
            # Nobody may have noticed: what it held would be held for ever.
            await connection.execute(_LEAVE, (self._database.node,))
        cursor = await connection.execute(_RENEW, (self._place.lease, self._database.node))
        if cursor.rowcount:
            await self._read_clock(cursor)
            self._renewed = asked
            await self._release_unwanted(connection)
        else:
            _log.warning("this server was away for longer than its lease: others have its runs")
            self._tell_lost()
            await self._enter(connection)
            self._has_given_up = False
        # One that stands still in the middle of a transaction holds rows for which all others would wait.
        ended = await connection.execute(_END_SESSIONS)
        if ended.rowcount:
            _log.warning("transactions of servers that stand still were ended: %d", ended.rowcount)
        await connection.execute(_BURY)

    async def _release_unwanted(self, connection: Connection) -> None:
        """Let go of locks that could not be let go when they were: this server lives, and would keep them."""
        async with self._releasing:
            if self._unwanted:
                await connection.execute(_UNLOCK, (list(self._unwanted), self._database.node))
                self._unwanted.clear()

    async def _read_clock(self, cursor: psycopg.AsyncCursor[tuple[object, ...]]) -> None:
        row = await cursor.fetchone()
        if row is not None:
            self._ahead = float(str(row[0])) - time.time()

    def _tell_lost(self) -> None:
        self._has_given_up = True
        for give_up in self._losers:
            give_up()
