"""Opening connections: a server we can use, or one clear line."""

from __future__ import annotations

import os
import re
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import psycopg

from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.database.error_mapping import READ_ONLY, RIGHTS, map_error, redacted_address
from parley.store.postgres.database.schema import Connection, demand_known, migrate, version_of

OLDEST = 13
"""The oldest server that works; older ones get no fixes any more."""

_GRANTABLE = 150_000  # from this version on, others than superusers may be given such settings
_MAY_COMPRESS = "SELECT has_parameter_privilege('wal_compression', 'SET')"
_IS_SUPERUSER = "SELECT current_setting('is_superuser')::bool"

_CONNECT_TIMEOUT = 5  # seconds
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,50}")


@dataclass(frozen=True, slots=True)
class PostgresLocation:
    """A database's address, the schema that holds our tables, and the address as it may be shown."""

    url: str = field(repr=False)
    schema: str
    place: str


def parse_location(url: str, schema: str) -> PostgresLocation:
    """Parse an address. Raises StoreUnavailable where it is none, ValueError for a schema's name."""
    if not _NAME.fullmatch(schema):
        raise ValueError(f"schema must be a plain lower-case name, not {schema!r}")
    return PostgresLocation(url, schema, redacted_address(url))


async def connect(where: PostgresLocation) -> Connection:
    """Return a connection in autocommit.

    Statements are not prepared: a transaction-mode pooler may be between.
    Raises StoreUnavailable.
    """
    try:
        connection = await psycopg.AsyncConnection.connect(
            where.url,
            autocommit=True,
            prepare_threshold=None,
            connect_timeout=_CONNECT_TIMEOUT,
            application_name="parley",
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
        )
    except (psycopg.Error, OSError) as error:
        raise map_error(where.place, error) from error
    try:
        demand_version(where.place, connection.info.server_version)
    except StoreUnavailable:
        await connection.close()
        raise
    return connection


def demand_version(place: str, version: int) -> None:
    """`version` as the server reports it, 150018 for 15.18. Raises StoreUnavailable for one too old."""
    if version // 10_000 < OLDEST:
        raise StoreUnavailable(
            f"{place}: the server is PostgreSQL {version // 10_000}; Parley needs {OLDEST} or newer: "
            "update the server."
        )


async def connect_migrated(where: PostgresLocation) -> Connection:
    """Return a connection to tables of the newest schema, made where there are none.

    Raises StoreUnavailable.
    """
    connection = await connect(where)
    try:
        with name_place(where.place):
            _demand_encoding(connection)
            await migrate(connection, where.schema)
    except StoreUnavailable:
        await connection.close()
        raise
    return connection


async def check_database(url: str, *, schema: str = "parley") -> None:
    """Raise StoreUnavailable for whatever would keep a node from starting on it; nothing is changed."""
    where = parse_location(url, schema)
    async with await connect(where) as connection:
        with name_place(where.place):
            await demand_usable(connection, schema)


async def demand_usable(connection: Connection, schema: str) -> int:
    """Return the schema's version (0: none yet) of a database that a node can start on.

    Raises StoreUnavailable, psycopg.Error.
    """
    _demand_encoding(connection)
    cursor = await connection.execute("SHOW transaction_read_only")
    if await cursor.fetchone() == ("on",):
        raise StoreUnavailable(READ_ONLY)
    version = await version_of(connection, schema)
    demand_known(version)
    if version == 0:
        await _demand_rights(connection)
    return version


@contextmanager
def name_place(place: str) -> Iterator[None]:
    """Let what is in the way come with the place."""
    try:
        yield
    except StoreUnavailable as error:
        raise StoreUnavailable(f"{place}: {error.user_text}") from error
    except psycopg.Error as error:
        raise map_error(place, error) from error


def _demand_encoding(connection: Connection) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise StoreUnavailable(f"the database's encoding is {encoding}: create one with UTF8.")


async def _demand_rights(connection: Connection) -> None:
    cursor = await connection.execute("SELECT has_database_privilege(current_database(), 'CREATE')")
    for (may,) in await cursor.fetchall():
        if not may:
            raise StoreUnavailable(RIGHTS)


async def may_compress_log(connection: Connection) -> bool:
    """Return whether this user may have whole pages compressed in the server's log.

    In a large store they are most of it (docs/scale.md). False, too, where the server does it anyway.
    Raises psycopg.Error.
    """
    if await compresses_log(connection):
        return False
    grantable = connection.info.server_version >= _GRANTABLE
    cursor = await connection.execute(_MAY_COMPRESS if grantable else _IS_SUPERUSER)
    return await cursor.fetchone() == (True,)


async def compresses_log(connection: Connection) -> bool:
    """Return whether whole pages are compressed in the server's log. Raises psycopg.Error."""
    return await (await connection.execute("SHOW wal_compression")).fetchone() != ("off",)


def cut_off(connection: Connection) -> None:
    """End a connection whose server does not answer: what waits for it fails at once."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def is_dead(connection: Connection) -> bool:
    """Return whether an idle connection was closed, or is being closed, by the other side.

    The server says nothing to an idle connection but its farewell: whatever can be read is that.
    """
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
