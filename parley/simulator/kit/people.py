"""The person's side of any platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Generic, TypeVar

from parley.simulator.kit.world import World

W = TypeVar("W", bound=World)


class SimulatedPeople(Generic[W]):
    """What everybody but the bot does. Every method may be called from any thread."""

    platform: ClassVar[str]

    def __init__(self, world: W) -> None:
        self._world = world

    def wait(self, condition: Callable[[], object], timeout: float = 10.0) -> None:
        """Block until `condition` holds, looking after each change. Raises TimeoutError."""
        with self._world.changed:
            if not self._world.changed.wait_for(condition, timeout):
                raise TimeoutError(f"the simulated {self.platform} did not get there in time")
