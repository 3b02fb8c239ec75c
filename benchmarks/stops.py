"""/stop among streaming turns, as people give it: `python -m benchmarks.stops`.

So many conversations have a run that streams, and everybody says /stop within the same few seconds. Told is
how long until the command's own answer, until the turn's reply is there with what was said, and how long
after the last of these the server still had a run to cancel.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import uvloop

from benchmarks.kit.agent_events import Script
from benchmarks.kit.child_process import agent_server, measured
from benchmarks.kit.machine import machine
from benchmarks.kit.null_channel import NullChannel, Pace, Watch, message
from benchmarks.kit.parley_core import Core, running_core
from benchmarks.kit.stats import cpu_seconds, percentile
from benchmarks.kit.tables import Table, write_tables
from benchmarks.loads.busy_load import begin
from parley.core.model.types import RunMode, SessionSettings

_SCRIPT = Script(180, 0.5)
_EDITS = Pace(1.0, 0.0)
_TURNS = 500
_STOPPED = "Stopped."
# Seconds after which a run that still is not cancelled never will be.
_LONGEST = 60.0


async def stop(core: Core, number: int, after: float) -> Watch:
    """Say /stop in a conversation and wait for its answer."""
    await asyncio.sleep(after)
    said = message(number, "/stop")
    watch = core.channel.watch(said)
    await core.bus.publish_inbound(said)
    await watch.answered
    return watch


async def measure(core: Core, url: str, turns: int, spread: float) -> dict[str, float]:
    """Begin the turns, wait until all stream, and stop them all over `spread` seconds."""
    watches = await begin(core, turns)
    await asyncio.gather(*(watch.seen.wait() for watch in watches))
    cpu, began = cpu_seconds(), time.perf_counter()
    delays = [random.random() * spread for _ in range(turns)]
    stops = await asyncio.gather(*(stop(core, number, after) for number, after in enumerate(delays)))
    answers = await asyncio.gather(*(watch.answered for watch in watches))
    over = time.perf_counter()
    cores = (cpu_seconds() - cpu) / (over - began)
    gone = await until_counted(url, "interrupted", turns)
    told = [stop.finished - stop.began for stop in stops]
    ended = [turn.finished - stop.began for turn, stop in zip(watches, stops, strict=True)]
    return {
        "told_p50": 1000 * percentile(told, 0.5),
        "told_p99": 1000 * percentile(told, 0.99),
        "told_most": 1000 * max(told),
        "ended_p50": 1000 * percentile(ended, 0.5),
        "ended_p99": 1000 * percentile(ended, 0.99),
        "cores": cores,
        "kept": sum(answer.startswith("word 0 ") and answer.endswith(_STOPPED) for answer in answers),
        "cancelled": gone,
        "cancelled_after": time.perf_counter() - over,
    }


async def until_counted(url: str, status: str, turns: int) -> int:
    """How many runs have this status on the server, once that is all of them or no more will come."""
    count, last = 0, time.perf_counter() + _LONGEST
    while count < turns and time.perf_counter() < last:
        await asyncio.sleep(0.05)
        count = await asyncio.to_thread(_counted, url, status)
    return count


def _counted(url: str, status: str) -> int:
    with urllib.request.urlopen(f"{url}/counts", timeout=10) as answer:
        counts: Mapping[str, int] = json.loads(answer.read())
    return counts.get(status, 0)


async def load(url: str, script: Script, turns: int, spread: float) -> dict[str, float]:
    """The same in a core of its own."""
    channel = NullChannel(_EDITS)
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        sessions = {"": SessionSettings(script.name)}
        async with running_core(Path(folder), url, sessions, RunMode.STREAM, channel) as core:
            return await measure(core, url, turns, spread)


def row(script: Script, turns: int, spread: float) -> tuple[str, ...]:
    """One measurement, in processes of its own."""
    options = {"--script": script.name, "--turns": str(turns), "--spread": str(spread)}
    with agent_server() as (url, _pid):
        result = measured(
            "benchmarks.stops", "--url", url, *(word for pair in options.items() for word in pair)
        )
    number = {name: float(str(value)) for name, value in result.items()}
    names = ("told_p50", "told_p99", "told_most", "ended_p50", "ended_p99")
    return (
        f"{turns:,}",
        f"over {spread:g} s" if spread else "in the same instant",
        *(f"{number[name]:.0f}" for name in names),
        f"{number['cores']:.2f}",
        f"{number['kept']:.0f}",
        f"{number['cancelled']:.0f}",
        f"{number['cancelled_after']:.1f}",
    )


def table(script: Script, turns: int, spreads: list[float], rounds: int) -> Table:
    """A row for each spread and round."""
    rows = [row(script, turns, spread) for spread in spreads for _ in range(rounds)]
    columns = (
        "turns streaming", "/stop in each", "acknowledged p50 ms", "p99 ms", "max ms",
        "turn over p50 ms", "p99 ms", "CPU, cores", "replies that kept their text",
        "runs cancelled on the server", "last cancellation after the last reply, s",
    )  # fmt: skip
    title = f"/stop while runs of {script.seconds:g} s stream, a token every {script.interval:g} s each"
    return Table("stops", title, columns, tuple(rows), "Edits go out once a second for each turn.")


def main() -> None:
    """Measure and print; with --url the one measurement of a child process, as a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--script", default=_SCRIPT.name, help="of each run: tokens x seconds between them")
    parser.add_argument("--turns", type=int, default=_TURNS)
    parser.add_argument("--spread", type=float, action="append", help="seconds over which all are stopped")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", type=Path, help="write the table into this document")
    parser.add_argument("--url", help="of the agent server: measure here")
    chosen = parser.parse_args()
    script = Script.parse(chosen.script)
    if chosen.url:
        result = uvloop.run(load(chosen.url, script, chosen.turns, chosen.spread[0]))
        sys.stdout.write(json.dumps(result) + "\n")
        return
    began = time.monotonic()
    made = table(script, chosen.turns, chosen.spread or [30.0, 5.0], chosen.rounds)
    sys.stdout.write(machine().plain() + "\n\n" + made.plain() + "\n\n")
    if chosen.write:
        write_tables(chosen.write, [made])
    sys.stdout.write(f"{time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main()
