"""One client under one load, in a process: `python -m benchmarks.loads.turn_load` prints a JSON line.

Every turn is of a new person, begins with the message and ends with the whole answer in hand.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import uvloop

from benchmarks.kit.agent_events import Script
from benchmarks.kit.stats import cpu_seconds, peak_rss_mb, percentile, rss_mb
from parley.app.process.event_loop import tune_garbage_collection

_WARM = [f"warm-{number}" for number in range(20)]
_WARM_SCRIPT = Script(20, 0.0)
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds from a turn's begin to its first text (0: none was shown) and to its whole answer."""

    first_text: float
    whole: float
    answer: str


Turn = Callable[[str], Awaitable[Timing]]


@dataclass(frozen=True, slots=True)
class Client:
    """How to do a turn, and to wait until everything about turns is done with.

    `settle_memory` is called once, when it is warm.
    """

    turn: Turn
    settle: Callable[[], Awaitable[None]]
    settle_memory: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Sample:
    """What one load showed. Times are seconds, memory is MB."""

    turns: int
    failed: int
    cpu_ms: float
    p50: float
    p99: float
    first_p50: float
    wall: float
    rss_before: float
    rss_peak: float


async def measure(client: Client, script: Script, turns: int, at_once: int, spread: float) -> Sample:
    """`turns` turns, `at_once` of them in flight at any moment; the first begin over `spread` seconds."""
    for name in _WARM:
        await client.turn(name)
    client.settle_memory()
    numbers = iter(range(turns))
    timings: list[Timing] = []
    failures: list[str] = []

    async def person(place: int) -> None:
        await asyncio.sleep(place * spread / at_once)
        for number in numbers:
            try:
                async with asyncio.timeout(script.seconds + _PATIENCE):
                    timings.append(await client.turn(str(number)))
            except Exception as error:  # noqa: BLE001 - whatever breaks a turn is counted
                failures.append(type(error).__name__)

    rss_before, cpu, began = rss_mb(), cpu_seconds(), time.perf_counter()
    await asyncio.gather(*(person(place) for place in range(at_once)))
    await client.settle()
    wall, cpu = time.perf_counter() - began, cpu_seconds() - cpu
    good = [timing for timing in timings if timing.answer.strip() == script.text.strip()]
    return Sample(
        turns=turns,
        failed=turns - len(good),
        cpu_ms=1000 * cpu / turns,
        p50=percentile([timing.whole for timing in good], 0.5),
        p99=percentile([timing.whole for timing in good], 0.99),
        first_p50=percentile([timing.first_text for timing in good], 0.5),
        wall=wall,
        rss_before=rss_before,
        rss_peak=peak_rss_mb(),
    )


@asynccontextmanager
async def parley(url: str, script: Script, wait: bool) -> AsyncIterator[Client]:
    """The whole of Parley's core."""
    from benchmarks.kit.null_channel import NullChannel, message
    from benchmarks.kit.parley_core import running_core
    from parley.core.model.types import RunMode, SessionSettings

    channel = NullChannel()
    warm = {f"person-{name}": SessionSettings(_WARM_SCRIPT.name) for name in _WARM}
    sessions = {"": SessionSettings(script.name), **warm}
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        mode = RunMode.WAIT if wait else RunMode.STREAM
        async with running_core(Path(folder), url, sessions, mode, channel) as core:

            async def turn(number: str) -> Timing:
                said = message(number)
                watch = channel.watch(said)
                await core.bus.publish_inbound(said)
                answer = await watch.answered
                del channel.watched[said.id]
                first = watch.first_text - watch.began if watch.first_text else 0.0
                return Timing(first, watch.finished - watch.began, answer)

            async def settle() -> None:
                await core.manager.drain()

            yield Client(turn, settle, tune_garbage_collection)


@asynccontextmanager
async def bare_loop(url: str, script: Script, wait: bool, kind: str) -> AsyncIterator[Client]:
    """The SDK without Parley; `kind` is stock, aiohttp, or careful (waiting only)."""
    from benchmarks.loads.bare_loop import BareLoop, sdk

    client = sdk(url, stock=kind == "stock")
    loop = BareLoop(client)
    waiting = loop.careful if kind == "careful" else loop.wait
    work = waiting if wait else loop.stream

    async def turn(number: str) -> Timing:
        chosen = _WARM_SCRIPT if number.startswith("warm") else script
        began = time.perf_counter()
        first, answer = await work(chosen.name)
        now = time.perf_counter()
        return Timing(first - began if first else 0.0, now - began, answer)

    async def settle() -> None:
        """Nothing is left over."""

    # The collector as Parley has it, but for the SDK as it comes.
    collector = gc.collect if kind == "stock" else tune_garbage_collection
    try:
        yield Client(turn, settle, collector)
    finally:
        await client.aclose()


async def run(arguments: argparse.Namespace) -> Sample:
    """Measure what the command line asks for."""
    script = Script.parse(arguments.script)
    if arguments.client == "parley":
        opened = parley(arguments.url, script, arguments.wait)
    else:
        opened = bare_loop(arguments.url, script, arguments.wait, arguments.client)
    async with opened as client:
        return await measure(client, script, arguments.turns, arguments.at_once, arguments.spread)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--client", choices=["parley", "stock", "aiohttp", "careful"], required=True)
    parser.add_argument("--script", default="20x0.25")
    parser.add_argument("--wait", action="store_true")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--at-once", type=int, default=50)
    parser.add_argument("--spread", type=float, default=0.0)
    sample = uvloop.run(run(parser.parse_args()))
    sys.stdout.write(json.dumps(asdict(sample)) + "\n")


if __name__ == "__main__":
    main()
