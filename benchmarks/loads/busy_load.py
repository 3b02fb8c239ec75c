"""A core full of turns, a slow platform, and commands in between: `python -m benchmarks.loads.busy_load`."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import uvloop

from benchmarks.kit.agent_events import Script
from benchmarks.kit.null_channel import NullChannel, Pace, Watch, message
from benchmarks.kit.parley_core import Core, running_core
from benchmarks.kit.stats import percentile
from parley.core.model.types import RunMode, SessionSettings


async def begin(core: Core, turns: int) -> list[Watch]:
    """Start a turn in each of so many conversations."""
    said = [message(number) for number in range(turns)]
    watches = [core.channel.watch(each) for each in said]
    await asyncio.gather(*(core.bus.publish_inbound(each) for each in said))
    return watches


async def commands(core: Core, name: str, people: range) -> list[float]:
    """Seconds until each of a row of commands is answered, in conversations that have a turn running."""
    times: list[float] = []
    for number in people:
        said = message(number, name)
        watch = core.channel.watch(said)
        await core.bus.publish_inbound(said)
        await watch.answered
        times.append(watch.finished - watch.began)
    return times


async def measure(core: Core, script: Script, turns: int, give: int) -> dict[str, float]:
    """Begin the turns, wait until all stream, `give` of each command, and let the turns end."""
    began = time.perf_counter()
    watches = await begin(core, turns)
    await asyncio.gather(*(watch.seen.wait() for watch in watches))
    status = await commands(core, "/status", range(give))
    stop = await commands(core, "/stop", range(turns - give, turns))
    in_flight = sum(not watch.answered.done() for watch in watches)
    answers = await asyncio.gather(*(watch.answered for watch in watches))
    whole = [
        watch.finished - watch.began
        for watch, answer in zip(watches, answers, strict=True)
        if answer.strip() == script.text.strip()
    ]
    return {
        "in_flight": in_flight,
        "status_p50": 1000 * percentile(status, 0.5),
        "status_p99": 1000 * percentile(status, 0.99),
        "stop_p50": 1000 * percentile(stop, 0.5),
        "stop_p99": 1000 * percentile(stop, 0.99),
        "finished_whole": len(whole),
        "turn_p50": percentile(whole, 0.5),
        "shows_a_turn": sum(watch.shows for watch in watches) / turns,
        "wall": time.perf_counter() - began,
    }


async def main() -> None:
    """Measure and print a JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--script", required=True)
    parser.add_argument("--turns", type=int, required=True)
    parser.add_argument("--commands", type=int, default=0, help="how many of each")
    parser.add_argument("--interval", type=float, default=0.0, help="seconds between two edits")
    parser.add_argument("--edit-takes", type=float, default=0.0, help="seconds that an edit takes")
    chosen = parser.parse_args()
    script = Script.parse(chosen.script)
    channel = NullChannel(Pace(chosen.interval, chosen.edit_takes))
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        sessions = {"": SessionSettings(script.name)}
        async with running_core(Path(folder), chosen.url, sessions, RunMode.STREAM, channel) as core:
            result = await measure(core, script, chosen.turns, chosen.commands)
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    uvloop.run(main())
