"""This node among the others: its sign of life, and what it holds alone."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.lease import LeaseToken, uptime
from parley.store.nodes import GONE_LISTED, LeaseHolder, Node
from parley.store.postgres.engine import PostgresEngine
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.postgres.server_clock import ServerClock

log = logging.getLogger("parley.store")

_NODES = "nodes"
"""Woken when a node begins, or leaves in order."""

_HIGHEST = chr(0x10FFFF)


class PostgresNodeRegistry:
    """The Nodes port. `seconds` is the node's lease; `clock`, where given, counts instead of the server's.

    Nodes are written and read beside the journal's batches: a sign of life waits for nobody's messages.
    """

    def __init__(
        self,
        engine: PostgresEngine,
        schema: str,
        name: str,
        seconds: float,
        clock: Callable[[], float] | None,
    ) -> None:
        self._engine = engine
        self._schema = schema
        self._name = name
        self._seconds = seconds
        self._clock = clock
        self._server_clock = ServerClock()
        self._report = ""
        self._tenure = LeaseToken(seconds, -math.inf)

    @property
    def name(self) -> str:
        return self._name

    def set_report(self, report: str) -> None:
        self._report = report

    def shared_clock(self, own: Callable[[], float]) -> Callable[[], float]:
        return self._clock or self._server_clock.now

    async def read_clock(self) -> None:
        """Learn the server's time. Raises StoreUnavailable."""
        asked = uptime()
        told = await self._engine.reader.submit(SqlCall(f"SELECT {self._schema}.moment(NULL)", ()))
        self._server_clock.take_reading(asked, told[0][0])

    def confirm_lease(self, asked: float) -> LeaseToken:
        """Note that the server has just prolonged the lease: it was asked at `asked`, by `uptime`.

        Where the lease may have been over before that, others may have taken what was held: whatever was
        claimed earlier is lost then, and a new tenure begins.
        """
        if not self._tenure.extend(asked):
            self._tenure = LeaseToken(self._seconds, asked)
        return self._tenure

    async def renew(self) -> None:
        """Show that this node lives: its lanes are held for another lease from now."""
        asked = uptime()
        channel = "" if self._engine.news.deaf else self._engine.signals.channel
        statement = f"SELECT * FROM {self._schema}.renew_node(%s, %s::float8, %s, %s, %s::float8)"
        values = (self._name, self._seconds, self._report, channel, self._now())
        ((told, held, *others),) = await self._engine.reader.submit(SqlCall(statement, values))
        self._server_clock.take_reading(asked, told)
        self._engine.signals.know(held, *others)
        self.confirm_lease(asked)

    async def keep_alive(self) -> None:
        """Show it again and again until cancelled, and soon again where the store could not be told, or when
        nodes come and go.
        """
        while True:
            pause, seen = self._seconds / 3, self.changes()
            try:
                await self.renew()
            except StoreUnavailable as error:
                log_store_failure(log.warning, "this node cannot show that it lives: %s", error)
                pause /= 5
            await self.wait_for_change(seen, pause)

    def changes(self) -> int:
        return self._engine.wakeups.wakes(_NODES)

    async def wait_for_change(self, seen: int, timeout: float) -> None:
        await self._engine.wakeups.wait_told(_NODES, seen, timeout)

    async def list_nodes(self, queues: str) -> Sequence[Node]:
        s = self._schema
        statement = f"""WITH now AS (SELECT {s}.moment(%s::float8) AS at)
            SELECT n.name, n.since, n.until - now.at,
            (SELECT count(*) FROM {s}.lanes l WHERE l.node = n.name AND l.queue >= %s AND l.queue < %s),
            ARRAY(SELECT e.name FROM {s}.leases e WHERE e.node = n.name AND e.until > now.at ORDER BY 1),
            n.report FROM {s}.nodes n, now WHERE n.until > now.at - %s ORDER BY n.name"""
        values = (self._now(), queues, queues + _HIGHEST, GONE_LISTED)
        rows = await self._engine.reader.submit(SqlCall(statement, values))
        return tuple(Node(name, since, left, lanes, tuple(holds), said)
                     for name, since, left, lanes, holds, said in rows)  # fmt: skip

    async def acquire_lease(self, what: str, seconds: float) -> LeaseHolder:
        statement = f"SELECT * FROM {self._schema}.take_lease(%s, %s, %s::float8, %s::float8)"
        rows = await self._engine.reader.submit(SqlCall(statement, (what, self._name, seconds, self._now())))
        node, left = rows[0]
        return LeaseHolder(str(node), float(left))

    async def release_lease(self, what: str) -> None:
        await self._engine.reader.submit(
            SqlCall(f"SELECT {self._schema}.drop_lease(%s, %s)", (what, self._name))
        )

    async def wait_for_release(self, what: str, timeout: float) -> None:
        wakeups, name = self._engine.wakeups, f"lease/{what}"
        await wakeups.wait_told(name, wakeups.wakes(name), timeout)

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()
