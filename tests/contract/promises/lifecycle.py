"""Beginning and ending."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told


async def promise_ends_when_told(scene: Scene) -> None:
    """A cancelled channel ends promptly and leaves no tasks and no connections."""
    await scene.stop()
    tasks, sockets = asyncio.all_tasks(), _sockets()
    await scene.start()
    place = await scene.driver.private()
    await scene.ask(place, "hello")
    await scene.stop()
    await scene.until(lambda: _sockets() <= sockets, f"no more than {sockets} sockets")
    await scene.until(lambda: asyncio.all_tasks() <= tasks, "every task to end")


async def promise_ends_in_the_middle(scene: Scene) -> None:
    """A channel stopped in the middle of an answer adds no text, leaves no task, and continues later."""
    await scene.stop()
    tasks = asyncio.all_tasks()
    await scene.start()
    place, told = await scene.driver.private(), Told()
    scene.agent.script = told
    await scene.driver.say(place, "slowly")
    told.says("first words")
    await scene.until_shows(place, "first words")
    await scene.stop()
    await scene.until(lambda: asyncio.all_tasks() <= tasks, "every task to end")
    await scene.start()
    told.ends("first words and last")
    await scene.until_done(place)
    assert await scene.answers(place) == ["first words and last"]


async def promise_begins_again(scene: Scene) -> None:
    """After a restart the same conversation continues on the same thread."""
    place = await scene.driver.private()
    await scene.ask(place, "once")
    await scene.stop()
    await scene.start()
    assert await scene.ask(place, "more") == ["you said once", "you said more"]
    first, second = scene.agent.requests
    assert first.thread == second.thread


def _sockets() -> int:
    """Sockets that this program has open, the simulated platform's own among them."""
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found += entry.readlink().name.startswith("socket:")
        except FileNotFoundError:
            continue
    return found
