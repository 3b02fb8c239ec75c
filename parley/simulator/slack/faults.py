"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from parley.simulator.kit.faults import MethodFault, MethodFaults
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.rate_limiter import RateLimiter
from parley.simulator.slack.errors import SlackErrorResponse, rate_limited


@dataclass
class SlackFault(MethodFault):
    """A fault of the next calls of `method` ("" for any); `error` refuses, with `status` if it is not 200."""

    error: str = ""
    status: int = 200
    retry_after: int = 0

    def refuse(self) -> None:
        """Raise SlackErrorResponse where it refuses."""
        if self.status == 429:
            raise rate_limited(self.retry_after or 1)
        if self.error or self.status != 200:
            raise SlackErrorResponse(self.error or "internal_error", self.status, self.retry_after)


class SlackFaults(MethodFaults[SlackFault]):
    """Faults waiting to happen; may be asked for from any thread."""

    kind = SlackFault

    def __init__(self) -> None:
        super().__init__()
        self.split_frames = False
        """Send every Socket Mode frame in two fragments."""
        self.reorder = False
        """Hand the bot pairs of events the later one first."""

    def fail_next(
        self, method: str, error: str, status: int = 200, retry_after: int = 0, times: int = 1
    ) -> None:
        """Refuse the next calls; status 429 carries `retry_after`."""
        self._add(SlackFault(method, error, status, retry_after, times=times))

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        super().clear()
        self.split_frames = self.reorder = False


_ROWS = load_limits("slack")


def _tier(number: int) -> int:
    return _ROWS[f"tier_{number}"].whole


TIERS: Mapping[str, int] = {
    "agents.sessions.rename": _tier(3),
    "agents.sessions.setStatus": _tier(3),
    "apps.connections.open": _tier(1),
    "assistant.threads.setStatus": 600,
    "assistant.threads.setSuggestedPrompts": _tier(4),
    "assistant.threads.setTitle": _tier(4),
    "chat.appendStream": _tier(4),
    "chat.delete": _tier(3),
    "chat.postEphemeral": _tier(4),
    "chat.startStream": _tier(2),
    "chat.stopStream": _tier(2),
    "chat.update": _tier(3),
    "conversations.history": _tier(3),
    "conversations.replies": _tier(3),
    "files.completeUploadExternal": _tier(4),
    "files.getUploadURLExternal": _tier(4),
    "files.info": _tier(4),
    "reactions.add": _tier(3),
    "reactions.remove": _tier(2),
    "users.info": _tier(4),
    "views.open": _tier(4),
    "views.publish": _tier(4),
}
"""Calls a minute of one app in one workspace. Slack's numbers are lower bounds; these are taken as exact."""


READING = frozenset({"conversations.history", "conversations.replies"})
"""Once a minute each, whatever else is enforced, for apps that are sold outside the Marketplace."""


class SlackRateLimiter(RateLimiter):
    """Counts calls by method, and messages by chat (one a second, with a little burst)."""

    def __init__(self, *, strict: bool, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._strict = strict

    def check(self, method: str, chat: str, *, for_sale: bool = False) -> None:
        """Raise SlackErrorResponse (429) when there was enough for now."""
        if for_sale and method in READING:
            self._count(f"sold {method}", 1, 60.0)
        elif not self._strict:
            return
        elif method == "chat.postMessage":
            self._count(f"post {chat}", 5, 5.0)
        elif method in TIERS and method != "apps.connections.open":
            self._count(method, TIERS[method], 60.0)

    def _count(self, key: str, most: int, window: float) -> None:
        if seconds := self.wait(key, (most, window)):
            raise rate_limited(seconds)
