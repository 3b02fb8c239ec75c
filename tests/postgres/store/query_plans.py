"""What PostgreSQL really reads for each statement, also for those inside our functions: from auto_explain."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from psycopg.errors import Diagnostic

from parley.store.postgres import PostgresStore

TABLES = (
    *("documents", "items", "lanes", "names", "tallies"),
    *("document_subjects", "item_subjects", "feedback_times"),
)
BY_DAY = ("dated_names", "ended_items", "ended_subjects")
"""Their partitions are named after them and a day."""

_OPTIONS = (
    "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 "
    "-c auto_explain.log_nested_statements=on -c auto_explain.log_analyze=on -c auto_explain.log_timing=off "
    "-c auto_explain.log_triggers=off -c auto_explain.log_format=json -c client_min_messages=log"
)


@dataclass(slots=True)
class PlanRecorder:
    """The rows read since `clear`, by table; a row that was passed over counts as one that was kept does."""

    rows: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    plans: list[str] = field(default_factory=list)

    def clear(self) -> None:
        self.rows.clear()
        self.plans.clear()

    def hear(self, notice: Diagnostic) -> None:
        """Take what the server says of a statement."""
        text = notice.message_primary or ""
        begin = text.find("plan:")
        if begin < 0:
            return
        told = json.loads(text[begin + 5 :])
        self.plans.append(text)
        for node in _nodes(told["Plan"]):
            name = node.get("Relation Name", "")
            table = name.rpartition("_")[0] if name.startswith(BY_DAY) else name
            if table in (*TABLES, *BY_DAY) and "Scan" in node["Node Type"]:
                read = node.get("Actual Rows", 0) + node.get("Rows Removed by Filter", 0)
                read += node.get("Rows Removed by Index Recheck", 0)
                self.rows[table] += int(read * node.get("Actual Loops", 1))

    def most(self) -> int:
        """Return how many rows of one table were read."""
        return max(self.rows.values(), default=0)


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


@asynccontextmanager
async def recorded_store(url: str, schema: str) -> AsyncIterator[tuple[PostgresStore, PlanRecorder]]:
    """Yield a store whose statements are explained, and what hears of them."""
    recorder = PlanRecorder()
    async with PostgresStore.open(f"{url}?options={quote(_OPTIONS)}", node="a", schema=schema) as store:
        await store.get("nothing")  # the reader connects with its first call
        for batcher in (store._engine.writer, store._engine.reader):
            assert batcher._connection is not None
            batcher._connection.add_notice_handler(recorder.hear)
        yield store, recorder
