"""What people do with the code of an app that is being made."""

from __future__ import annotations

from parley.simulator.feishu.api import registration
from parley.simulator.feishu.world import FeishuWorld


class FeishuScanning:
    """Somebody with a phone. May be used from any thread."""

    def __init__(self, world: FeishuWorld) -> None:
        self._world = world

    def scan(self, url: str, by: str) -> None:
        """Scan a code, and make the app with what it asks for. Raises LookupError, ValueError."""
        with self._world.changed:
            registration.make_app(self._world, url, by)

    def decline(self, url: str) -> None:
        """Scan it and make no app. Raises LookupError."""
        with self._world.changed:
            registration.registration_at(self._world, url).declined = True

    def grant(self, scope: str) -> None:
        """Give the app a scope that it was made without."""
        with self._world.changed:
            self._world.denied.discard(scope)
