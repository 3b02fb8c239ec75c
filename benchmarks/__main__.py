"""Every benchmark, or those named: `python -m benchmarks [--quick] [--write docs/performance.md]`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks import accepts, budgets, busy, footprint, nodes, turns
from benchmarks.growth import measure
from benchmarks.kit.machine import machine
from benchmarks.kit.plan import FULL, QUICK, Plan
from benchmarks.kit.tables import Table, write_tables

BENCHMARKS: dict[str, Callable[[Plan], Iterator[Table]]] = {
    "turns": turns.run,
    "flowing": turns.run_flowing,
    "accepts": accepts.run,
    "footprint": footprint.run,
    "busy": busy.run,
    "budgets": budgets.run,
}
NAMED: dict[str, Callable[[Plan], Iterator[Table]]] = {
    "accepts-postgres": accepts.run_postgres,
    "nodes": nodes.run,
    "growth": measure.run_sqlite,
    "growth-postgres": measure.run_postgres,
}
"""Only where they are named: they need Debian's "postgresql", or many minutes."""


def main() -> int:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", choices=[*BENCHMARKS, *NAMED, []], help="default: all but the last four"
    )
    parser.add_argument("--quick", action="store_true", help="small and once: under a minute")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="put the tables between their markers in FILE"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables as JSON")
    chosen = parser.parse_args()
    began = time.monotonic()
    tables = [machine()]
    sys.stdout.write(tables[0].plain() + "\n\n")
    for name in chosen.names or BENCHMARKS:
        for table in (BENCHMARKS | NAMED)[name](QUICK if chosen.quick else FULL):
            tables.append(table)
            sys.stdout.write(table.plain() + "\n\n")
            sys.stdout.flush()
    if chosen.write:
        write_tables(chosen.write, tables)
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(table) for table in tables], indent=1), encoding="utf-8")
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
