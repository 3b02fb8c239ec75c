"""Slow platforms, and commands while thousands of turns run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from benchmarks.kit.agent_events import Script
from benchmarks.kit.child_process import agent_server, measured
from benchmarks.kit.plan import Plan
from benchmarks.kit.tables import Table
from parley.core.model.types import Json

_TALKATIVE = Script(200, 0.025)
_PLATFORMS = (
    ("every 1 s, an edit takes 0.3 s", 1.0, 0.3),
    ("every 3 s, an edit takes 2 s", 3.0, 2.0),
    ("at once", 0.0, 0.0),
)


def run(plan: Plan) -> Iterator[Table]:
    """Two tables."""
    yield _slow_platforms(plan)
    yield _commands(plan)


def _slow_platforms(plan: Plan) -> Table:
    rows: list[tuple[str, ...]] = []
    for name, interval, takes in _PLATFORMS[: plan.platforms]:
        pace = ("--interval", str(interval), "--edit-takes", str(takes))
        result = _busy(_TALKATIVE, 20, *pace)
        shows, turn = _number(result, "shows_a_turn"), _number(result, "turn_p50")
        rows.append(
            (name, str(_TALKATIVE.tokens), f"{shows:.1f}", f"{_TALKATIVE.tokens / shows:.0f}", f"{turn:.2f}")
        )
        plan.say(f"slow platforms, {name}")
    columns = ("the platform takes edits", "tokens", "edits sent", "tokens an edit", "turn p50 s")
    return Table(
        "slow",
        f"Coalescing: 20 runs of {_TALKATIVE.seconds:g} s, {_TALKATIVE.tokens} tokens each",
        columns,
        tuple(rows),
    )


def _commands(plan: Plan) -> Table:
    rows: list[tuple[str, ...]] = []
    for size in plan.busy:
        result = _busy(plan.busy_script, size, "--commands", str(min(50, size // 2)))
        cells = [
            f"{_number(result, name):.0f}" for name in ("status_p50", "status_p99", "stop_p50", "stop_p99")
        ]
        rows.append((f"{size:,}", f"{_number(result, 'in_flight'):,.0f}", *cells))
        plan.say(f"commands among {size} turns")
    columns = (
        "turns started",
        "still running after the commands",
        "/status p50 ms",
        "p99 ms",
        "/stop p50 ms",
        "p99 ms",
    )
    note = "Fifty of each command, one after the other, each in a conversation with a running turn."
    return Table(
        "commands",
        f"Commands while runs of {plan.busy_script.seconds:g} s stream",
        columns,
        tuple(rows),
        note,
    )


def _busy(script: Script, turns: int, *options: str) -> Mapping[str, Json]:
    with agent_server() as (url, _):
        return measured(
            "benchmarks.loads.busy_load", url, "--script", script.name, "--turns", str(turns), *options
        )


def _number(result: Mapping[str, Json], name: str) -> float:
    return float(cast("float", result[name]))
