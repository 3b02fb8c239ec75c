"""What addresses of clients are told of ended runs: kept with the run's end, and tried again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parley.server.http_errors import invalid
from parley.server.options import WebhookPort
from parley.server.runs.thread_queues import ActiveRun
from parley.server.serialisation import dumps
from parley.server.storage.interface import Cluster, Database, Statement
from parley.server.storage.tables import timestamp

_log = logging.getLogger(__name__)

_OWE = (
    "INSERT INTO webhooks (run_id, url, body, attempts, next_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (run_id) DO UPDATE SET url = excluded.url, body = excluded.body,"
    " attempts = excluded.attempts, next_at = excluded.next_at"
)
_ATTEMPTS = 6
_FIRST_PAUSE = 5.0
_AT_ONCE = 16
_LONGEST_REST = 60.0
_LOOK_EVERY = 5.0
"""Seconds after which a server looks whether it has to do this for all."""


class RunWebhooks:
    """Posts what ended runs owe. After a crash in between something may be posted twice, with one id."""

    def __init__(
        self,
        database: Database,
        port: WebhookPort | None,
        clock: Callable[[], float],
        cluster: Cluster | None = None,
    ) -> None:
        self._database = database
        self._port = port
        self._clock = clock
        self._wake = asyncio.Event()
        self._cluster = cluster
        if cluster is not None:
            cluster.subscribe("webhooks", lambda _: self._wake.set())

    def check(self, url: str | None) -> None:
        """Raise Problem for an address that is never asked."""
        if url is None:
            return
        if self._port is None:
            raise invalid("webhook: this server posts nothing.")
        if why := self._port.refusal(url):
            raise invalid(f"webhook: {why}")

    def owe(self, run: ActiveRun, values: object, error: dict[str, str] | None) -> list[Statement]:
        """What to write together with a run's end, that its webhook be told."""
        url = run.payload.webhook
        if url is None:
            return []
        body = {
            **run.row.view(),
            "run_started_at": timestamp(run.row.created_at),
            "run_ended_at": timestamp(run.row.updated_at),
            "values": values,
            "error": error,
        }
        row = (run.row.run_id, url, dumps(body), 0, run.row.updated_at)
        told = [self._cluster.announce("webhooks", "")] if self._cluster else []
        return [Statement(_OWE, [row]), *told]

    def wake(self) -> None:
        """Say that something was written that is owed."""
        self._wake.set()

    async def work(self) -> None:
        """Post what is due, for ever."""
        while True:
            self._wake.clear()
            rest: float | None = _FIRST_PAUSE
            try:
                rest = await self._round()
            except self._database.errors:
                _log.exception("webhooks could not be read; it is tried again")
            try:
                async with asyncio.timeout(rest):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def _round(self) -> float | None:
        """Post what is due; returns the seconds until more is, None where nothing is owed."""
        if self._cluster is not None and not await self._cluster.leads():
            return _LOOK_EVERY
        rows = await self._database.read(
            "SELECT run_id, url, body, attempts, next_at FROM webhooks ORDER BY next_at LIMIT ?", (_AT_ONCE,)
        )
        now = self._clock()
        due = [row for row in rows if float(row[4] or 0) <= now]
        await asyncio.gather(
            *(
                self._post(str(run_id), str(url), bytes(body or b""), int(tries or 0))  # type: ignore[arg-type]
                for run_id, url, body, tries, _ in due
            )
        )
        if due or not rows:
            return 0.0 if due else None
        return min(float(rows[0][4] or 0) - now, _LONGEST_REST)

    async def _post(self, run_id: str, url: str, body: bytes, tries: int) -> None:
        why = await self._port.post(url, body, run_id) if self._port else "this server posts nothing"
        done = "DELETE FROM webhooks WHERE run_id = ?"
        if why and tries + 1 < _ATTEMPTS:
            _log.info("the webhook of run %s was not told (%s); it is tried again", run_id, why)
            later = self._clock() + _FIRST_PAUSE * 4**tries
            again = "UPDATE webhooks SET attempts = ?, next_at = ? WHERE run_id = ?"
            await self._database.write(Statement(again, [(tries + 1, later, run_id)]))
            return
        if why:
            _log.warning("the webhook of run %s is given up after %d tries: %s", run_id, tries + 1, why)
        await self._database.write(Statement(done, [(run_id,)]))
