"""CPU per turn and turns in flight, beside a bare loop over the SDK."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from benchmarks.kit.agent_events import Script
from benchmarks.kit.child_process import agent_server, measured
from benchmarks.kit.plan import Plan
from benchmarks.kit.stats import Spread, cpu_seconds_of
from benchmarks.kit.tables import Table
from parley.core.model.types import Json

PACED = Script(20, 0.25)
IMMEDIATE = Script(20, 0.0)
SLOW = Script(20, 1.0)
_SPREAD = 16.0
# Turns whose CPU can be told from what a process does besides.
_ENOUGH = 200
_NAMES = {
    "parley": "Parley",
    "aiohttp": "SDK over aiohttp",
    "careful": "the same, with Parley's requests",
    "stock": "SDK as it comes",
}


@dataclass(frozen=True, slots=True)
class Load:
    """What runs do, stream or wait, how many turns, how many at once; they begin over `spread` seconds."""

    script: Script
    wait: bool
    turns: int
    at_once: int
    spread: float = 0.0

    @property
    def about(self) -> str:
        return f"{'wait' if self.wait else 'stream'}, {self.at_once:,}"

    def measure(self, client: str, url: str) -> Mapping[str, Json]:
        """One client under this load, in a process of its own."""
        sizes = ("--turns", str(self.turns), "--at-once", str(self.at_once), "--spread", str(self.spread))
        waits = ("--wait",) if self.wait else ()
        options = ("--client", client, "--script", self.script.name, *sizes, *waits)
        return measured("benchmarks.loads.turn_load", url, *options)


Results = dict[str, list[Mapping[str, Json]]]


def run(plan: Plan) -> Iterator[Table]:
    """The tables of runs that last, and of runs that answer at once."""
    paced = [Load(PACED, False, max(size, _ENOUGH), size) for size in plan.sizes]
    paced += [Load(PACED, True, max(size, _ENOUGH), size) for size in plan.wait_sizes]
    title = f"Runs of {PACED.seconds:g} s: 20 tokens, one every 0.25 s, all begun at once"
    yield _table("paced", title, paced, plan)
    turns = plan.immediate_turns
    immediate = [Load(IMMEDIATE, wait, turns, plan.sizes[0]) for wait in (False, True)]
    yield _table("immediate", f"Runs that answer at once: {turns:,} turns", immediate, plan)


def run_flowing(plan: Plan) -> Iterator[Table]:
    """The table of thousands of turns in flight that did not all begin at once."""
    if plan.flowing:
        many = [Load(SLOW, False, plan.flowing, plan.flowing, _SPREAD)]
        title = f"{plan.flowing:,} turns in flight: runs of {SLOW.seconds:g} s, begun over {_SPREAD:g} s"
        yield _table("flowing", title, many, plan)


def _table(name: str, title: str, loads: list[Load], plan: Plan) -> Table:
    rows: list[tuple[str, ...]] = []
    for load in loads:
        results, server_ms = _rounds(load, plan)
        rows += [_row(load, client, results) for client in results]
        plan.say(f"{name}, {load.about}: agent server {server_ms:.2f} ms a run")
    columns = (
        "mode, turns in flight", "client", "CPU ms a turn", "CPU to the tuned loop", "p50 s", "p99 s",
        "added p99 ms", "first text p50 s", "failed", "RSS MB",
    )  # fmt: skip
    return Table(name, title, columns, tuple(rows))


def _rounds(load: Load, plan: Plan) -> tuple[Results, float]:
    """Every client once a round, side by side in time; the SDK as it comes only once."""
    results: Results = defaultdict(list)
    cpu, turns = 0.0, 0
    for number in range(plan.rounds if load.at_once < plan.once_from else 1):
        clients = ["aiohttp", "parley", *(["careful"] if load.wait and not load.script.interval else [])]
        # The order turns round, so that whoever is second is not always the same.
        for client in clients if number % 2 == 0 else reversed(clients):
            cpu += _measure(load, client, results)
            turns += load.turns
    if not (load.wait or load.spread):
        _measure(load, "stock", results)
    return results, 1000 * cpu / turns


def _measure(load: Load, client: str, results: Results) -> float:
    """Add a result; returns the agent server's CPU seconds."""
    with agent_server() as (url, pid):
        before = cpu_seconds_of(pid)
        results[client].append(load.measure(client, url))
        return cpu_seconds_of(pid) - before


def _row(load: Load, client: str, results: Results) -> tuple[str, ...]:
    mine, bare = results[client], results["aiohttp"]
    ratios = [
        _number(one, "cpu_ms") / _number(other, "cpu_ms") for one, other in zip(mine, bare, strict=False)
    ]
    added = [
        1000 * (_number(one, "p99") - _number(other, "p99")) for one, other in zip(mine, bare, strict=False)
    ]
    return (
        load.about,
        _NAMES[client],
        _spread(mine, "cpu_ms").show(),
        "1" if client == "aiohttp" else Spread.of(ratios).show(),
        _spread(mine, "p50").show(),
        _spread(mine, "p99").show(),
        "" if client == "aiohttp" else Spread.of(added).show(0),
        "" if load.wait or not load.script.interval else _spread(mine, "first_p50").show(),
        _spread(mine, "failed").show(0),
        _spread(mine, "rss_peak").show(0),
    )


def _spread(results: list[Mapping[str, Json]], name: str) -> Spread:
    return Spread.of(_number(result, name) for result in results)


def _number(result: Mapping[str, Json], name: str) -> float:
    return float(cast("float", result[name]))
