"""Every statement that runs after start-up, with the values that belong to it, and what the rows are."""

# ruff: noqa: S608  (built from the constants of this file and a checked schema name)

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from parley.core.model.usage import Usage
from parley.core.ports.journal import Claim, CounterIncrement, Document, NewQueueItem, QueueItem
from parley.core.ports.lease import PERMANENT_LEASE, LeaseToken
from parley.core.ports.subjects import document_subjects, item_subjects
from parley.store.postgres.execution.call_merging import SqlCall, Value
from parley.store.postgres.functions.counters import AMOUNTS
from parley.store.postgres.operations.subject_index import as_array
from parley.store.rows import Row, parse_items

_ITEM = "id, queue, lane, body, note, attempts, version, put_at"
_PUTS = "%s::text[], %s::text[], %s::text[], %s::text[], %s::float8[], %s::text[], %s::float8[]"
_CLAIM = "%s, %s, %s::bigint, %s"
_HIGHEST = chr(0x10FFFF)  # sorts after every key that goes on from a prefix


def put_columns(puts: Sequence[NewQueueItem]) -> tuple[Value, ...]:
    """Return puts as the arrays that the server's functions take."""
    return (
        [put.queue for put in puts],
        [put.lane for put in puts],
        [put.body for put in puts],
        [put.dedupe for put in puts],
        [float(put.delay) for put in puts],
        [put.slot for put in puts],
        [float(put.max_wait) for put in puts],
    )


def _about_puts(puts: Sequence[NewQueueItem]) -> list[str]:
    return [as_array(item_subjects(put.lane, put.body)) for put in puts]


def _about(document: Document) -> str:
    return as_array(document_subjects(document.key, document.body))


@dataclass(frozen=True, slots=True)
class JournalCalls:
    """The verbs of one node in one schema."""

    schema: str
    node: str

    def put(self, puts: Sequence[NewQueueItem], now: float | None) -> SqlCall:
        lanes = tuple((put.queue, put.lane) for put in puts)
        statement = f"SELECT * FROM {self.schema}.put_ready({_PUTS}, %s::text[], %s::float8)"
        columns = (*put_columns(puts), _about_puts(puts))
        return SqlCall(statement, (*columns, now), lanes, makes=True, columns=len(columns))

    def claim(
        self, queue: str, limit: int, lease: float, ticket: int, doubtful: list[int], now: float | None
    ) -> SqlCall:
        statement = (
            f"SELECT * FROM {self.schema}.claim_counted(%s, %s::bigint, %s, %s::float8, %s::bigint,"
            " %s::bigint[], %s::float8)"
        )
        return SqlCall(statement, (queue, max(limit, 0), self.node, lease, ticket, doubtful, now))

    def set_trials(self, claim: Claim, trials: int) -> SqlCall:
        return self._held(claim, "set_trials", "%s::int", (trials,))

    def next_ready(self, queue: str, now: float | None) -> SqlCall:
        """Return seconds until `queue` may have something to claim; NULL: nothing is in sight."""
        return SqlCall(f"SELECT {self.schema}.next_ready(%s, %s::float8)", (queue, now))

    def waiting(self, queue: str, lane: str) -> SqlCall:
        statement = f"""SELECT {_ITEM} FROM {self.schema}.items
            WHERE queue = %s AND lane = %s AND state = 0 ORDER BY id"""
        return SqlCall(statement, (queue, lane))

    def note(self, claim: Claim, item: int, note: str) -> SqlCall:
        """Note where an item stands; one that the holder met after its claim has no version to check."""
        version = next((held.version for held in claim.items if held.id == item), None)
        return self._held(claim, "note", "%s::bigint, %s::int, %s", (item, version, note))

    def done(
        self,
        claim: Claim,
        items: Sequence[QueueItem],
        note: str | None,
        puts: Sequence[NewQueueItem],
        documents: Sequence[Document],
        tallies: Sequence[CounterIncrement],
        now: float | None,
    ) -> SqlCall:
        values: tuple[Value, ...] = (
            [item.id for item in items],
            [item.version for item in items],
            note,
            [document.key for document in documents],
            [document.body for document in documents],
            [document.version for document in documents],
            *put_columns(puts),
            now,
            _tallies(tallies) if tallies else None,
            _about_puts(puts),
            [_about(document) for document in documents],
        )
        types = f"%s::bigint[], %s::int[], %s, %s::text[], %s::text[], %s::bigint[], {_PUTS}, %s::float8"
        lanes = [(put.queue, put.lane) for put in puts]
        return self._held(claim, "done_ready", f"{types}, %s::jsonb, %s::text[], %s::text[]", values, lanes)

    def release(self, claim: Claim) -> SqlCall:
        return self._held(claim, "release", "", ())

    def retry(self, claim: Claim, delay: float, now: float | None) -> SqlCall:
        head = claim.items[0].id if claim.items else None
        return self._held(
            claim, "retry_ready", "%s::bigint, %s::float8, %s::float8", (head, float(delay), now)
        )

    def bury(self, claim: Claim, items: Sequence[QueueItem], reason: str, now: float | None) -> SqlCall:
        values = ([item.id for item in items], [item.version for item in items], reason, now)
        return self._held(claim, "bury", "%s::bigint[], %s::int[], %s, %s::float8", values)

    def _held(
        self,
        claim: Claim,
        verb: str,
        types: str,
        values: tuple[Value, ...],
        also: Sequence[tuple[str, str]] = (),
    ) -> SqlCall:
        arguments = f"{_CLAIM}, {types}" if types else _CLAIM
        own = (claim.queue, claim.lane)
        return SqlCall(
            f"SELECT * FROM {self.schema}.{verb}({arguments})",
            (*own, claim.epoch, self.node, *values),
            (own, *also),
            makes=bool(also),
        )

    def cancel(self, queue: str, lane: str, before: int, now: float | None) -> SqlCall:
        statement = f"SELECT * FROM {self.schema}.cancel(%s, %s, %s::bigint, %s::float8)"
        return SqlCall(statement, (queue, lane, before, now), ((queue, lane),))

    def withdraw(self, queue: str, lane: str, item: int, now: float | None) -> SqlCall:
        statement = f"SELECT {self.schema}.withdraw(%s, %s, %s::bigint, %s::float8)"
        return SqlCall(statement, (queue, lane, item, now), ((queue, lane),))

    def get(self, key: str) -> SqlCall:
        return SqlCall(f"SELECT key, body, version FROM {self.schema}.documents WHERE key = %s", (key,))

    def get_all(self, keys: Sequence[str]) -> SqlCall:
        statement = f"SELECT key, body, version FROM {self.schema}.documents WHERE key = ANY(%s)"
        return SqlCall(statement, (list(keys),))

    def set(self, document: Document) -> SqlCall:
        statement = f"SELECT {self.schema}.write_about(%s, %s, %s::bigint, %s)"
        return SqlCall(statement, (document.key, document.body, document.version, _about(document)))

    def list(self, prefix: str, limit: int, after: str) -> SqlCall:
        statement = f"SELECT * FROM {self.schema}.document_page(%s, %s, %s, %s::bigint)"
        return SqlCall(statement, (prefix, prefix + _HIGHEST, after, limit))

    def feedback_before(self, before: tuple[float, str], since: float, limit: int) -> SqlCall:
        statement = f"SELECT * FROM {self.schema}.feedback_page(%s::float8, %s, %s::float8, %s::bigint)"
        return SqlCall(statement, (*before, since, limit))

    def delete(self, key: str) -> SqlCall:
        return SqlCall(f"DELETE FROM {self.schema}.documents WHERE key = %s RETURNING key", (key,))

    def tally(self, tallies: Sequence[CounterIncrement], once: str, now: float | None) -> SqlCall:
        statement = f"SELECT {self.schema}.tally(%s::jsonb, %s, %s, %s::float8)"
        return SqlCall(statement, (_tallies(tallies), once, self.node, now))

    def counted(self, names: Sequence[str]) -> SqlCall:
        sums = ", ".join(f"sum({amount})::bigint" for amount in AMOUNTS)
        statement = f"SELECT name, {sums} FROM {self.schema}.tallies WHERE name = ANY (%s) GROUP BY name"
        return SqlCall(statement, (list(names),))

    def uncount(self, prefixes: Sequence[str]) -> SqlCall:
        return SqlCall(f"SELECT {self.schema}.uncount(%s, %s)", (list(prefixes), _HIGHEST))

    def dead(self, limit: int, before: tuple[float, int]) -> SqlCall:
        statement = f"SELECT * FROM {self.schema}.dead_page(%s::bigint, %s::float8, %s::bigint)"
        return SqlCall(statement, (limit, *before))

    def dead_beside(self, item: int) -> SqlCall:
        return SqlCall(f"SELECT * FROM {self.schema}.dead_beside(%s::bigint)", (item,))

    def dead_by_queue(self) -> SqlCall:
        statement = f"""SELECT queue, count(*)::bigint FROM {self.schema}.items
            WHERE state = 2 AND ended_at IS NOT NULL AND body <> '' GROUP BY queue"""
        return SqlCall(statement, ())

    def backlog(self, now: float | None) -> SqlCall:
        s = self.schema
        statement = f"""SELECT queue, count(*)::bigint, moment.now - min(ready_at)
            FROM {s}.lanes, (SELECT {s}.moment(%s::float8) AS now) AS moment
            WHERE ready_at IS NOT NULL AND ready_at <= moment.now GROUP BY queue, moment.now"""
        return SqlCall(statement, (now,))

    def count_waiting(self, queue: str, most: int) -> SqlCall:
        """Step from one to the next: a server that believes that two wait would sort them all first."""
        waiting = f"SELECT lane, id FROM {self.schema}.items WHERE queue = %s AND state = 0 AND body <> ''"
        statement = f"""WITH RECURSIVE found AS ((SELECT first.*, 1::bigint AS number
            FROM ({waiting} ORDER BY lane, id LIMIT 1) AS first) UNION ALL
            SELECT next.*, number + 1 FROM found, LATERAL ({waiting} AND (lane, id) > (found.lane, found.id)
            ORDER BY lane, id LIMIT 1) AS next WHERE number < %s::bigint)
            SELECT count(*)::bigint FROM found"""
        return SqlCall(statement, (queue, queue, most))

    def revive(self, item: int, now: float | None) -> SqlCall:
        return SqlCall(f"SELECT {self.schema}.revive(%s::bigint, %s::float8)", (item, now))

    def discard(self, item: int) -> SqlCall:
        statement = f"DELETE FROM {self.schema}.items WHERE id = %s AND state = 2 RETURNING id"
        return SqlCall(statement, (item,))

    def leave(self) -> SqlCall:
        return SqlCall(f"SELECT {self.schema}.free_node(%s)", (self.node,))


def _tallies(tallies: Sequence[CounterIncrement]) -> str:
    rows = [{"name": t.name, "until": t.until, "most": t.most, **_amounts(t.usage)} for t in tallies]
    return json.dumps(rows, ensure_ascii=False)


def _amounts(usage: Usage) -> dict[str, int]:
    return {amount: getattr(usage, amount) for amount in AMOUNTS}


def claims_of(rows: Iterable[Row], tenure: LeaseToken = PERMANENT_LEASE) -> tuple[Claim, ...]:
    """Return the claims that rows are: an epoch, claims and trials that vanished, and an item each."""
    claims: list[Claim] = []
    for (epoch, crashes, trials), lane in groupby(rows, key=lambda row: row[:3]):
        items = parse_items(row[3:] for row in lane)
        claims.append(Claim(items[0].queue, items[0].lane, epoch, items, tenure, crashes, trials))
    return tuple(claims)
