"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from parley.simulator.dingtalk.errors import DingTalkErrorResponse, too_many
from parley.simulator.kit.faults import MethodFault, MethodFaults
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.rate_limiter import RateLimiter


@dataclass
class DingTalkFault(MethodFault):
    """A fault of the next calls of `method` ("" for any but the gateway's), which `status` refuses."""

    spared = "open"
    status: int = 0
    code: str = ""
    words: str = ""

    def refuse(self) -> None:
        """Raise DingTalkErrorResponse where it refuses."""
        if self.status == 403 and not self.code:
            raise too_many()
        if self.status:
            code, words = self.code or "ServiceUnavailable", self.words or "on purpose"
            raise DingTalkErrorResponse(self.status, code, words)


class DingTalkFaults(MethodFaults[DingTalkFault]):
    """Faults waiting to happen; may be asked for from any thread.

    Methods are named `accessToken`, `open`, `batchSend`, `groupSend`, `download`, `file`, `upload`,
    `createAndDeliver`, `create`, `deliver`, `update`, `streaming`, `sendBySession`, `user`, `react`,
    `unreact` and `register`.
    """

    kind = DingTalkFault

    def __init__(self) -> None:
        super().__init__()
        self._frames: dict[str, int] = {}

    def fail_next(self, method: str, status: int, code: str = "", words: str = "", times: int = 1) -> None:
        """Refuse the next calls; 403 without a code is the limit of calls a second."""
        self._add(DingTalkFault(method, status, code, words, times=times))

    def throttle_next(self, method: str, wait: float, times: int = 1) -> None:
        """Answer the next calls as the throttle of an address does: with status 200, and seconds to wait."""
        self._add(DingTalkFault(method, 200, "1111", str(wait), times=times))

    def deny_next(self, method: str, times: int = 1) -> None:
        """Answer the next calls with status 200, and that they did not succeed."""
        self._add(DingTalkFault(method, 200, "denied", times=times))

    def frames_next(self, how: Literal["split", "double", "reverse"], count: int = 1) -> None:
        """Push the next frames in pieces, or twice each, or in reverse (once so many have come)."""
        with self._lock:
            self._frames[how] = self._frames.get(how, 0) + count

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        super().clear()
        with self._lock:
            self._frames.clear()

    def take_frame(self, how: str) -> bool:
        """Return whether a frame that is pushed now is to be pushed so."""
        with self._lock:
            left = self._frames.get(how, 0)
            self._frames[how] = max(0, left - 1)
            return left > 0

    def left(self, how: str) -> int:
        """Return how many frames are still to be pushed so."""
        with self._lock:
            return self._frames.get(how, 0)


@dataclass(frozen=True)
class DingTalkRateLimits:
    """How often an app may call the card APIs in a second, all of its cards together."""

    cards_per_second: int = load_limits("dingtalk")["calls_per_second"].whole


class DingTalkRateLimiter(RateLimiter):
    """Counts the calls of the last second."""

    def __init__(self, pace: DingTalkRateLimits | None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._most = 0 if pace is None else pace.cards_per_second

    def check(self) -> None:
        """Raise DingTalkErrorResponse (403) when there were too many."""
        if self._most and self.wait("", (self._most, 1.0)):
            raise too_many()
