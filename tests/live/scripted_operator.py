"""An operator who does on a simulated platform what the walk asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from parley.app.live.recorder import Recorder
from parley.app.live.steps import OURS, STEPS, LiveStep
from parley.app.live.walk import StepResult, Walk
from parley.channels.kit.http.wire_listener import listening_to_wires
from parley.core.ports.channel import Channel, ChannelServices
from parley.store.sqlite import SqliteStore
from tests.contract.driver import Driver, Place, Upload
from tests.contract.drivers import DRIVERS
from tests.kit.machine import patience

SAID = "Bernadette's private words"
LIVE = ("slack", "telegram", "feishu", "dingtalk")


class ScriptedOperator:
    """Acts through the contract's driver of a platform; `lazy` steps are skipped by Enter."""

    def __init__(self, driver: Driver, lazy: Sequence[str] = ()) -> None:
        self._driver, self._lazy = driver, lazy
        self._private: Place | None = None
        self._skip = asyncio.Event()
        self.told: list[str] = []

    def say(self, text: str) -> None:
        self.told.append(text)

    async def act(self, step: LiveStep) -> None:
        self.told.append(step.prompt)
        self._skip.clear()
        if step.name in self._lazy:
            self._skip.set()
            return
        if self._private is None:
            self._private = await self._driver.private("Bernadette")
        await self._do(step, self._private)

    async def skipped(self) -> None:
        await self._skip.wait()

    async def _do(self, step: LiveStep, private: Place) -> None:
        driver = self._driver
        if step.name == "mention":
            group = await driver.group("Bernadette")
            await driver.say(group, f"{driver.mention} {SAID}")
        elif step.name == "file":
            await driver.attach(
                private, [Upload("secret-plan.txt", b"nobody reads this", "text/plain")], SAID
            )
        elif step.name == "button":
            await driver.press(private, "Yes")
        else:
            for number in range(step.count):
                await driver.say(private, f"{SAID} {number}")


async def walk_through(
    platform: str,
    folder: Path,
    recording: Path,
    steps: Sequence[LiveStep] = STEPS,
    lazy: Sequence[str] = (),
) -> tuple[list[StepResult], Driver]:
    """Walk through a simulated platform; returns what came, and the driver, closed."""
    async with DRIVERS[platform](lambda: None) as driver, SqliteStore.open(folder / "live.db") as store:
        recorder = Recorder(recording, driver.secrets, OURS)
        channel: Channel = driver.make_channel(ChannelServices(store, folder, (), name=platform))
        with listening_to_wires(recorder):
            found = await Walk(channel, recorder, ScriptedOperator(driver, lazy), patience(20.0)).run(steps)
        recorder.close()
    return found, driver
