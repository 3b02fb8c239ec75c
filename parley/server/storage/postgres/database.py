"""A schema of PostgreSQL: reads and writes over a pool of connections."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache, partial
from typing import Any, TypeAlias, cast

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import PipelineStatus
from psycopg.rows import AsyncRowFactory, tuple_row
from psycopg.types.string import TextLoader
from psycopg_pool import AsyncConnectionPool

from parley.core.model.errors import ConfigError
from parley.server.http_errors import invalid
from parley.server.storage.interface import JsonConditions, PostgresPlace, Row, SqlValue, Statement
from parley.server.storage.postgres.completion import complete
from parley.server.storage.postgres.conditions import PostgresConditions
from parley.server.storage.postgres.schema import LOST, Connection, check_name

Pool: TypeAlias = AsyncConnectionPool[psycopg.AsyncConnection[Any]]

ERRORS = (psycopg.Error,)
"""What is raised where the database fails, or is away."""

LOCK_CLASS = 7_221_106
"""First key of the advisory locks that show whose a transaction is; the second is the server's."""

_DEMAND_NODE = f"SELECT pg_advisory_xact_lock_shared({LOCK_CLASS}, hashtext(%s)), demand_node(%s)"
_OLDEST = 130_000
_CONNECTIONS = 16
_PATIENCE = 10.0


class DatabaseAway(psycopg.OperationalError):
    """The database does not answer, or others have taken over from this server."""


class PostgresDatabase:
    """Reads and writes on a pool. What is written for `node` is refused once its row is gone."""

    errors: tuple[type[Exception], ...] = ERRORS
    away: tuple[type[Exception], ...] = (DatabaseAway,)
    conditions: JsonConditions = PostgresConditions()

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.node = ""

    async def read(self, sql: str, parameters: Sequence[SqlValue] = ()) -> list[Row]:
        """All rows of a query."""
        return await complete(self._read(sql, parameters))

    async def write(self, *statements: Statement, durable: bool = False) -> None:
        """Run statements in one transaction; committed on return, and if `durable` also synced to disk.

        Raises psycopg.Error, also where others have taken over from this server: nothing of it happened.
        """
        await complete(self._write(statements, durable=durable))

    @asynccontextmanager
    async def plain(
        self, rows: AsyncRowFactory[Any] = tuple_row, *, binary: bool = False
    ) -> AsyncIterator[psycopg.AsyncCursor[Any]]:
        """Yield a cursor; each statement is a transaction."""
        with _mapped():
            async with (
                self.pool.connection() as connection,
                connection.cursor(row_factory=rows, binary=binary) as cursor,
            ):
                yield cursor

    @asynccontextmanager
    async def fenced(
        self, rows: AsyncRowFactory[Any] = tuple_row, *, binary: bool = False, durable: bool = False
    ) -> AsyncIterator[psycopg.AsyncCursor[Any]]:
        """Yield a cursor in a transaction, which is refused where others have taken over.

        It may not be cut off: call it in what is awaited by `complete`.
        """
        with _mapped():
            async with (
                self.pool.connection() as connection,
                _discarded_in_pipeline(connection),
                connection.pipeline(),
                connection.transaction(),
                connection.cursor(row_factory=rows, binary=binary) as cursor,
            ):
                if not durable:
                    await cursor.execute("SET LOCAL synchronous_commit TO off")
                await cursor.execute(_DEMAND_NODE, (self.node, self.node))
                yield cursor

    async def _read(self, sql: str, parameters: Sequence[SqlValue]) -> list[Row]:
        async with self.plain() as cursor:
            cursor.adapters.register_loader("jsonb", TextLoader)
            await cursor.execute(_marked(sql), parameters)
            return cast("list[Row]", await cursor.fetchall()) if cursor.description else []

    async def _write(self, statements: Sequence[Statement], *, durable: bool) -> None:
        async with self.fenced(durable=durable) as cursor:
            for statement in statements:
                for row in statement.rows:
                    await cursor.execute(_marked(statement.sql), row)


@asynccontextmanager
async def _discarded_in_pipeline(connection: psycopg.AsyncConnection[Any]) -> AsyncIterator[None]:
    """Keep a connection that was cut off from the next one who gets it: its queries would find nothing.

    The driver leaves it in pipeline mode, in which rows come later, and the pool does not look.
    """
    try:
        yield
    finally:
        if not connection.closed and connection.pgconn.pipeline_status != PipelineStatus.OFF:
            await connection.close()


@contextmanager
def _mapped() -> Iterator[None]:
    """Tell a database that is away from one that cannot keep something. Raises DatabaseAway, Problem."""
    try:
        yield
    except psycopg.DataError as error:
        raise invalid(f"PostgreSQL cannot keep this: {_line(error)}.") from error
    except psycopg.Error as error:
        if error.sqlstate == LOST or isinstance(error, psycopg.OperationalError):
            raise DatabaseAway(_line(error)) from error
        raise


def _line(error: BaseException) -> str:
    return str(error).partition("\n")[0][:200]


@cache
def _marked(statement: str) -> bytes:
    """The statement with the driver's marks for parameters."""
    return statement.replace("%", "%%").replace("?", "%s").encode()


@asynccontextmanager
async def open_pool(place: PostgresPlace) -> AsyncIterator[Pool]:
    """Open connections whose tables are those of the schema. Raises ConfigError."""
    schema = check_name(place.schema)
    try:
        where = conninfo_to_dict(place.url)
        # One connection first: what is wrong is said at once, and not after the pool's patience.
        async with await psycopg.AsyncConnection.connect(place.url, connect_timeout=5) as first:
            if first.info.server_version < _OLDEST:
                raise ConfigError(
                    "agent_server.database: PostgreSQL 13 or newer is needed; update the server"
                )
    except (psycopg.Error, OSError) as error:
        told = " ".join(str(error).split())[:300]
        raise ConfigError(f"agent_server.database: PostgreSQL cannot be used: {told}") from error
    pool: Pool = AsyncConnectionPool(
        place.url,
        kwargs={
            "autocommit": True,
            "prepare_threshold": None,
            "connect_timeout": 5,
            "application_name": where.get("application_name") or "parley-agent",
        },
        min_size=1,
        max_size=_CONNECTIONS,
        timeout=_PATIENCE,
        configure=partial(_configure, schema),
        check=AsyncConnectionPool.check_connection,
        open=False,
    )
    async with pool:
        yield pool


async def _configure(schema: str, connection: Connection) -> None:
    await connection.execute(sql.SQL("SET search_path TO {}, public").format(sql.Identifier(schema)))
