"""What people do with the code of an app that is being made."""

from __future__ import annotations

from parley.simulator.dingtalk.api.registration import registration_at
from parley.simulator.dingtalk.world import DingTalkWorld


class DingTalkScanning:
    """Somebody with a phone. May be used from any thread."""

    def __init__(self, world: DingTalkWorld) -> None:
        self._world = world

    def scan(self, url: str, by: str) -> None:
        """Scan a code, and have the app made. Raises LookupError."""
        with self._world.changed:
            registration_at(self._world, url).scanned = by

    def decline(self, url: str, reason: str = "用户取消授权") -> None:
        """Scan it and have none made. Raises LookupError."""
        with self._world.changed:
            registration_at(self._world, url).failed = reason
