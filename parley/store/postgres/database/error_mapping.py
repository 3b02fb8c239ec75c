"""What PostgreSQL and the network complain of, as one line each that names the place and the remedy."""

from __future__ import annotations

import re

import psycopg
from psycopg.conninfo import conninfo_to_dict

from parley.core.model.errors import StoreUnavailable, StoreUnreachable

_NO_ADDRESS = (
    "store.url is not an address of PostgreSQL: write postgresql://user:password@host:5432/database, and of "
    "the password's characters / @ : ? # % as %2F %40 %3A %3F %23 %25."
)
_SLOTS = (
    "all connection slots of the server are taken: raise its max_connections, or let fewer programs connect; "
    "a node of Parley takes three."
)
_REFUSED = "the server refused the user or the password: check store.url."
_NOT_FROM_HERE = (
    "the server lets nobody in from this machine in this way: add ?sslmode=require to store.url, or a line "
    "to the server's pg_hba.conf."
)
_NO_TLS = "the server has no TLS: set ssl = on there, or remove sslmode from store.url on a network of yours."
_UNTRUSTED = (
    "the server's certificate is not trusted here, or is for another name: add sslrootcert=FILE of its "
    "authority to store.url, and write the name that the certificate has as the host."
)
READ_ONLY = "the server is read-only (a standby?): name the primary in store.url."
RIGHTS = (
    "the user lacks rights: run GRANT CREATE ON DATABASE ... TO ... as the database's owner, or let this "
    "user own the tables."
)
_ENDED = "the server is stopping."
_CRASHED = "the server is restarting after a crash."
_CHANGING = "the server is starting, or stopping."
_CLOSED = "the server closed the connection."
_UNREACHED = "the server cannot be reached: is it running, and is the address in store.url right?"
_POOLER = (
    "the pooler at this address gets no session of the server: is the server running, and are user and "
    "password right in the pooler's settings?"
)
_UNRESOLVED = (
    "no address was found for the server's name: correct the host in store.url, or this machine's DNS "
    "(/etc/resolv.conf)."
)
_SLOW = "the server took too long and the operation was undone: look at its load and its locks."
_AWAY = frozenset({_SLOTS, _ENDED, _CRASHED, _CHANGING, _CLOSED, _UNREACHED, _POOLER, _UNRESOLVED})
_BY_STATE = {
    "28P01": _REFUSED,
    "28000": _REFUSED,
    "3D000": "there is no such database: create it, or name another in store.url.",
    "42501": RIGHTS,
    "53100": "the server's disk is full: make room; nothing unsaved was acknowledged.",
    "53300": _SLOTS,
    "57014": _SLOW,
    "55P03": _SLOW,
    "25006": READ_ONLY,
    "57P01": _ENDED,
    "57P02": _CRASHED,
    "57P03": _CHANGING,
}
# What libpq reports before there is a session has no code, only the server's English text.
_BY_TEXT = (
    (re.compile(r"server login (?:has been failing|failed)|pgbouncer cannot connect|server conn crashed"),
     _POOLER),
    (re.compile(r"does not support SSL"), _NO_TLS),
    (re.compile(r"certificate verify failed|root certificate file|does not match host name"), _UNTRUSTED),
    (re.compile(r"no pg_hba\.conf entry"), _NOT_FROM_HERE),
    (re.compile(r"password authentication failed|no password supplied"), _REFUSED),
    (re.compile(r"role .{1,200} does not exist"), _REFUSED),
    (re.compile(r"authentication failed"), _REFUSED),
    (re.compile(r"too many clients|connection slots are reserved|too many connections"), _SLOTS),
    (re.compile(r"database .{1,200} does not exist"), _BY_STATE["3D000"]),
    (re.compile(r"permission denied"), RIGHTS),
    (re.compile(r"starting up|shutting down|not (?:yet )?accepting connections"), _CHANGING),
    (re.compile(r"closed the connection|connection is (closed|lost)|consuming input failed"), _CLOSED),
    (re.compile(r"could not translate|resolve"), _UNRESOLVED),
    (re.compile(r"refused|No such file|timeout|timed out|unreachable"),
     _UNREACHED),
)  # fmt: skip


def redacted_address(url: str) -> str:
    """Return where a database is, without user and password.

    Raises StoreUnavailable for what is no address.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise StoreUnavailable(_NO_ADDRESS) from error
    host = str(parts.get("host") or parts.get("hostaddr") or "localhost")
    port = str(parts.get("port") or 5432)
    database = str(parts.get("dbname") or "")
    if "@" in host + database or not port.replace(",", "").isdigit():
        # A password with such a character: libpq takes its rest for host, port or database.
        raise StoreUnavailable(_NO_ADDRESS)
    return f"PostgreSQL at {host}:{port}/{database}"


def map_error(place: str, error: psycopg.Error | OSError) -> StoreUnavailable:
    """`error` as one line, with `error` as its cause; StoreUnreachable for what ends by itself."""
    remedy = _BY_STATE.get(getattr(error, "sqlstate", None) or "") or _by_text(str(error))
    kind = StoreUnreachable if remedy in _AWAY else StoreUnavailable
    line = kind(f"{place}: {remedy or _last_line(error)}")
    line.outage = remedy not in (None, _SLOW)
    line.__cause__ = error
    return line


def silent_server(place: str) -> StoreUnreachable:
    """Return the error of a session that was ended since nothing came from it."""
    line = StoreUnreachable(f"{place}: the server does not answer.")
    line.outage = True
    return line


def _by_text(text: str) -> str | None:
    return next((remedy for pattern, remedy in _BY_TEXT if pattern.search(text)), None)


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"the database failed ({lines[0]})."
