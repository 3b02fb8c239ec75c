"""Durable accepts a second, beside raw group commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from benchmarks.child import measured
from benchmarks.plan import Plan
from benchmarks.stats import Spread
from benchmarks.tables import Table
from bridge.types import Json

_PRODUCERS = (1, 100, 1000)
_NAMES = {"raw": "raw group commit", "parley": "Parley's bus"}


def run(plan: Plan) -> Iterator[Table]:
    """One table."""
    rows: list[tuple[str, ...]] = []
    for producers in _PRODUCERS:
        total = plan.accepts if producers > 1 else plan.accepts // 10
        results = [_round(producers, total) for _ in range(plan.rounds)]
        rows += [_row(producers, engine, results) for engine in _NAMES]
        plan.say(f"accepts, {producers} producers")
    columns = ("producers", "what", "a second", "to raw", "p50 ms", "p99 ms", "CPU µs each")
    yield Table("accepts", "Messages made durable (fsync) before they are acknowledged", columns, tuple(rows))


def _round(producers: int, total: int) -> dict[str, Mapping[str, Json]]:
    sizes = ("--producers", str(producers), "--total", str(total))
    return {engine: measured("benchmarks.accept_load", "--engine", engine, *sizes) for engine in _NAMES}


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
