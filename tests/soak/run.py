"""One soak: everybody talks to one Parley for a while, then platforms are stuck, one at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx

from benchmarks.kit.free_ports import free_port
from tests.chaos.accounting.ledger import Account
from tests.kit.machine import patience
from tests.kit.product.process import way_in, write_config
from tests.soak.line_process import PATIENCE, Child, child
from tests.soak.process_meter import Lag, Meter, Part
from tests.soak.scale import CHANNELS, INTERVAL, Scale

_LOOK = 0.1
_MOST = patience(450.0)
"""Seconds after which nobody believes any more that a channel goes on; a busy machine is slow."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a channel's people saw: the account, and when each message was said and answered."""

    account: Account
    answers: tuple[tuple[float, float], ...]

    def in_(self, part: Part) -> list[tuple[float, float]]:
        """Those that were answered in a part."""
        return [each for each in self.answers if part.has(each[1])]


@dataclass(frozen=True, slots=True)
class Result:
    """What came out; the first part is when all was in order."""

    scale: Scale
    parts: tuple[Part, ...]
    channels: Mapping[str, Heard]
    tracebacks: int


async def carry_out(scale: Scale, folder: Path) -> Result:
    """Start everything, let it run, and end it."""
    async with AsyncExitStack() as stack:
        crowds = {name: await stack.enter_async_context(_crowd(scale, folder, name)) for name in CHANNELS}
        agent = await stack.enter_async_context(
            child(folder / "agent", "tests.soak.echo_agent", str(scale.tokens), str(INTERVAL))
        )
        url = await agent.line_with("http")
        sections = {name: await crowd.told() for name, crowd in crowds.items() if name != "web"}
        await crowds["web"].told()
        _configure(folder / "parley", url, sections)
        parley = await stack.enter_async_context(_parley(folder / "parley"))
        address = (await parley.line_with("Open http")).split()[1]
        await _until_up(address)
        for crowd in crowds.values():
            crowd.tell(f"go {address}")
        meter = Meter(parley.pid)
        await _go_by(scale, crowds, meter)
        heard = await _end(crowds, scale)
        await parley.end()
        parts = meter.parts(_lags(folder / "parley" / "lags"))
        return Result(scale, parts, heard, parley.log.count("Traceback"))


async def _go_by(scale: Scale, crowds: Mapping[str, Child], meter: Meter) -> None:
    """Everybody talks, and then platforms stand still."""
    measuring = asyncio.create_task(meter.run())
    await asyncio.sleep(scale.turn)
    await meter.pass_by("", scale.seconds)
    for name in scale.stuck:
        began = time.monotonic()
        crowds[name].hold()
        await meter.pass_by(name, scale.seconds)
        for other in crowds.keys() - {name}:
            await _goes_on(crowds[other], began)
        crowds[name].go_on()
    measuring.cancel()


async def _goes_on(crowd: Child, since: float) -> None:
    """Return once something that was said since then is answered. Raises TimeoutError."""
    async with asyncio.timeout(_MOST):
        while True:
            crowd.tell(f"since {since}")
            if cast("dict[str, int]", await crowd.told())["count"]:
                return
            await asyncio.sleep(_LOOK)


def _crowd(scale: Scale, folder: Path, name: str) -> AbstractAsyncContextManager[Child]:
    sizes = (scale.conversations, scale.messages, scale.tokens)
    return child(folder / name, "tests.soak.load_generator", name, *map(str, sizes))


def _parley(folder: Path) -> AbstractAsyncContextManager[Child]:
    return child(folder, "tests.soak.loop_lag", "lags", "run", "--config", "config.yaml")


def _configure(folder: Path, agent: str, sections: Mapping[str, object]) -> None:
    folder.mkdir(parents=True)
    config: dict[str, object] = {"console": {"port": free_port()}, "agent": {"url": agent}}
    write_config(folder, config | {"channels": dict(sections)})


async def _until_up(url: str) -> None:
    """Return once every part is up."""
    async with (
        asyncio.timeout(PATIENCE),
        httpx.AsyncClient(**way_in(url), timeout=PATIENCE) as http,
    ):
        while True:
            parts = (await http.get("/api/health")).json()["parts"]
            if all(part["health"] == "up" for part in parts):
                return
            await asyncio.sleep(_LOOK)


async def _end(crowds: Mapping[str, Child], scale: Scale) -> dict[str, Heard]:
    """Let nobody begin anew, and hear what everybody saw once the last answer is there."""
    for crowd in crowds.values():
        crowd.tell("stop")
    heard: dict[str, Heard] = {}
    for name, crowd in crowds.items():
        told = cast("dict[str, object]", await crowd.told(scale.turn + _MOST))
        account = Account(**cast("dict[str, object]", told["account"]))  # type: ignore[arg-type]
        answers = cast("list[tuple[float, float]]", told["answers"])
        heard[name] = Heard(account, tuple((said, there) for said, there in answers))
    return heard


def _lags(file: Path) -> list[Lag]:
    return [Lag(*map(float, line.split())) for line in file.read_text().splitlines()]
