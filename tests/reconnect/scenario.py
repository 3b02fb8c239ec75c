"""A Parley with one channel in trouble, and another one beside it that must not notice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from parley.core.ports.health import Health
from tests.contract.driver import Place
from tests.contract.harness.scene import Scene, scene
from tests.reconnect.platform_rigs import RIGS, Rig


class Stage:
    """The channel under trouble with one person, and its `neighbour`, another channel of the same program."""

    def __init__(self, scene: Scene, place: Place, neighbour: Scene, beside: Place) -> None:
        self.scene, self.place = scene, place
        self.rig = cast("Rig", scene.driver)
        self._neighbour, self._beside = neighbour, beside
        self._asked_beside = 0
        self._said: list[str] = []
        self._lost = 0

    def says(self, *texts: str) -> None:
        """Say this, although nobody may hear it: then it must be heard later, where the platform keeps it."""
        for text in texts:
            self.rig.speak(self.place, text)
        if self.rig.keeps:
            self._said += texts
        else:
            self._lost += len(texts)

    async def asks(self, text: str) -> None:
        """Say this to a channel that is back, and see all that was said answered, once and in order."""
        await self.is_back()
        # What comes a second time comes when the platform thinks fit, and perhaps after something newer.
        await self.scene.until(lambda: self.scene.agent.texts == self._said, f"to be asked {self._said}")
        self._said.append(text)
        self.rig.speak(self.place, text)
        await self.scene.until_done(self.place, len(self._said))
        assert await self.scene.answers(self.place) == [f"you said {each}" for each in self._said]
        assert self.scene.agent.texts == self._said
        assert self.rig.heard_by_nobody() == self._lost

    async def is_back(self) -> None:
        """Wait until the channel is connected, and the platform knows of no connection but that."""
        await self.scene.listening()
        await self.scene.until(self.rig.settled, "one connection that works")

    async def retries(self, words: str = "") -> None:
        """Wait until the operator is shown that the channel is away, and why."""

        def shown() -> bool:
            report = self.scene.process.supervisor.report()
            return report.health is Health.RETRYING and words in report.detail

        await self.scene.until(shown, f"to be shown as retrying: {words}")

    async def tries(self, times: int) -> None:
        """Wait until it has tried to connect so often from now on."""
        wanted = self.scene.watch.connections + times
        await self.scene.until(lambda: self.scene.watch.connections >= wanted, f"{times} tries")

    async def others_go_on(self) -> None:
        """The other channel is still connected as it was, and answers."""
        self._asked_beside += 1
        await self._neighbour.ask(self._beside, f"and you {self._asked_beside}?", self._asked_beside)
        assert self._neighbour.watch.connections == 1


@asynccontextmanager
async def stage(name: str, folder: Path) -> AsyncIterator[Stage]:
    """The channel on its platform, connected, with one question answered already."""
    other = "slack" if name == "telegram" else "telegram"
    (folder / "beside").mkdir()
    async with scene(RIGS[name], folder) as under, scene(RIGS[other], folder / "beside") as beside:
        place, place_beside = await under.driver.private(), await beside.driver.private()
        made = Stage(under, place, beside, place_beside)
        await made.asks("before")
        yield made
