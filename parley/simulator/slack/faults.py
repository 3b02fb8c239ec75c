"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from parley.simulator.slack.errors import SlackErrorResponse, rate_limited

Reset = Literal["", "before", "after"]


@dataclass
class SlackFault:
    """One thing that goes wrong with the next `times` calls of `method` ("" for any).

    `error` refuses without any effect, with `status` if it is not 200; `body` answers with that text after
    the effect; `delay` waits that many seconds first; `reset` cuts the connection before or after the effect.
    """

    method: str
    error: str = ""
    status: int = 200
    retry_after: int = 0
    body: str = ""
    delay: float = 0.0
    reset: Reset = ""
    times: int = 1


class SlackFaults:
    """Faults waiting to happen; may be asked for from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[SlackFault] = []
        self._out_until = 0.0
        self.split_frames = False
        """Send every Socket Mode frame in two fragments."""
        self.reorder = False
        """Hand the bot pairs of events the later one first."""

    def fail_next(
        self, method: str, error: str, status: int = 200, retry_after: int = 0, times: int = 1
    ) -> None:
        """Refuse the next calls; status 429 carries `retry_after`."""
        self._add(SlackFault(method, error, status, retry_after, times=times))

    def reset_next(self, method: str, when: Reset = "before", times: int = 1) -> None:
        """Cut the connection before the effect, or after it so that only the answer is lost."""
        self._add(SlackFault(method, reset=when, times=times))

    def slow_next(self, method: str, delay: float, times: int = 1) -> None:
        """Wait before doing as asked."""
        self._add(SlackFault(method, delay=delay, times=times))

    def garble_next(self, method: str, body: str = "<html>", times: int = 1) -> None:
        """Do as asked but answer with something that is no answer."""
        self._add(SlackFault(method, body=body, times=times))

    def outage(self, seconds: float) -> None:
        """From now on, for so long, cut every connection."""
        with self._lock:
            self._out_until = time.monotonic() + seconds

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        with self._lock:
            self._waiting.clear()
            self._out_until = 0.0
            self.split_frames = self.reorder = False

    def out(self) -> bool:
        """Whether there is an outage now."""
        with self._lock:
            return time.monotonic() < self._out_until

    def take(self, method: str) -> SlackFault:
        """What goes wrong with this call; an empty fault for nothing."""
        with self._lock:
            for fault in self._waiting:
                if fault.method in ("", method):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault
        return SlackFault(method)

    def _add(self, fault: SlackFault) -> None:
        with self._lock:
            self._waiting.append(fault)


def raise_for(fault: SlackFault) -> None:
    """Raise the answer that a fault asks for, if it asks for one."""
    if fault.status == 429:
        raise rate_limited(fault.retry_after or 1)
    if fault.error or fault.status != 200:
        raise SlackErrorResponse(fault.error or "internal_error", fault.status, fault.retry_after)


TIERS: Mapping[str, int] = {
    "agents.sessions.setStatus": 50,
    "apps.connections.open": 1,
    "assistant.threads.setStatus": 600,
    "chat.appendStream": 100,
    "chat.delete": 50,
    "chat.postEphemeral": 100,
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "chat.update": 50,
    "conversations.history": 50,
    "conversations.replies": 50,
    "files.completeUploadExternal": 100,
    "files.getUploadURLExternal": 100,
    "files.info": 100,
    "users.info": 100,
    "views.open": 100,
}
"""Calls a minute of one app in one workspace. Slack's numbers are lower bounds; these are taken as exact."""


class SlackRateLimiter:
    """Counts calls by method, and messages by chat (one a second, with a little burst)."""

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict
        self._called: dict[str, deque[float]] = {}

    def check(self, method: str, chat: str) -> None:
        """Raises SlackErrorResponse (429) when there was enough for now."""
        if not self._strict:
            return
        if method == "chat.postMessage":
            self._count(f"post {chat}", 5, 5.0)
        elif method in TIERS and method != "apps.connections.open":
            self._count(method, TIERS[method], 60.0)

    def _count(self, key: str, most: int, window: float) -> None:
        now, called = time.monotonic(), self._called.setdefault(key, deque(maxlen=most))
        if len(called) == most and now - called[0] < window:
            raise rate_limited(max(1, math.ceil(called[0] + window - now)))
        called.append(now)
