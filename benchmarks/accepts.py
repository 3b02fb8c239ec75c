"""Durable accepts a second, beside raw group commit."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, cast

from benchmarks.kit.child_process import measured
from benchmarks.kit.plan import Plan
from benchmarks.kit.stats import Spread
from benchmarks.kit.tables import Table
from parley.core.model.types import Json

if TYPE_CHECKING:
    from benchmarks.kit.postgres_server import Server

_PRODUCERS = (1, 100, 1000)
_NAMES = {"raw": "raw group commit", "parley": "Parley's bus"}


_COLUMNS = ("producers", "what", "a second", "ratio to raw", "p50 ms", "p99 ms", "CPU µs each")
_CLIENTS = 20


def run(plan: Plan) -> Iterator[Table]:
    """One table."""
    title = "Messages made durable (fsync) before they are acknowledged"
    yield Table("accepts", title, _COLUMNS, tuple(_rows(plan)))


def run_postgres(plan: Plan) -> Iterator[Table]:
    """The same on a PostgreSQL of the benchmark's own, and what pgbench gets there with a commit each."""
    from benchmarks.kit.postgres_server import server

    with server() as postgres:
        rows = _rows(plan, postgres.url)
        tps = pgbench(postgres, _CLIENTS, max(1, plan.accepts // 10 // _CLIENTS))
        rows.append((str(_CLIENTS), "pgbench, an INSERT and a commit each", f"{tps:,.0f}", "", "", "", ""))
    title = "Messages made durable on PostgreSQL (fsync) before they are acknowledged"
    yield Table("accepts-postgres", title, _COLUMNS, tuple(rows), "CPU is the client's.")


def pgbench(postgres: Server, clients: int, each: int) -> float:
    """Transactions a second of plain inserts of 600 characters."""
    script = postgres.folder / "insert.sql"
    script.write_text(f"INSERT INTO messages (body) VALUES ('{'x' * 600}');\n")
    command = [postgres.program("pgbench"), "-n", "-f", str(script), "-c", str(clients), "-t", str(each)]
    ended = subprocess.run([*command, postgres.url], capture_output=True, text=True, check=True, timeout=300)
    return float(ended.stdout.rpartition("tps = ")[2].split()[0])


def _rows(plan: Plan, url: str = "") -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for producers in _PRODUCERS:
        total = plan.accepts if producers > 1 else plan.accepts // 10
        results = [_round(producers, total, url) for _ in range(plan.accept_rounds)]
        rows += [_row(producers, engine, results) for engine in _NAMES]
        plan.say(f"accepts{' on PostgreSQL' if url else ''}, {producers} producers")
    return rows


def _round(producers: int, total: int, url: str) -> dict[str, Mapping[str, Json]]:
    options = ("--producers", str(producers), "--total", str(total), "--url", url)
    return {
        engine: measured("benchmarks.loads.accept_load", "--engine", engine, *options) for engine in _NAMES
    }


def _row(producers: int, engine: str, results: list[dict[str, Mapping[str, Json]]]) -> tuple[str, ...]:
    def spread(name: str) -> Spread:
        return Spread.of(float(cast("float", result[engine][name])) for result in results)

    rates = [
        cast("float", result[engine]["per_second"]) / cast("float", result["raw"]["per_second"])
        for result in results
    ]
    return (
        f"{producers:,}",
        _NAMES[engine],
        spread("per_second").show(0),
        "1" if engine == "raw" else Spread.of(rates).show(),
        spread("p50_ms").show(),
        spread("p99_ms").show(),
        spread("cpu_us").show(0),
    )
