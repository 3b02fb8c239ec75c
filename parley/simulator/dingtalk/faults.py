"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

from parley.simulator.dingtalk.errors import DingTalkErrorResponse, too_many

Reset = Literal["", "before", "after"]


@dataclass
class DingTalkFault:
    """One thing that goes wrong with the next `times` calls of `method` ("" for any but the gateway's).

    `status` answers so without any effect; `body` answers with that text and status 200, after the effect;
    `delay` waits that many seconds first; `reset` cuts the connection before or after the effect.
    """

    method: str
    status: int = 0
    code: str = ""
    words: str = ""
    body: str = ""
    delay: float = 0.0
    reset: Reset = ""
    times: int = 1


class DingTalkFaults:
    """Faults waiting to happen; may be asked for from any thread.

    Methods are named `accessToken`, `open`, `batchSend`, `groupSend`, `download`, `file`, `upload`,
    `createAndDeliver`, `create`, `deliver`, `update`, `streaming`, `sendBySession` and `user`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[DingTalkFault] = []
        self._frames: dict[str, int] = {}
        self._out_until = 0.0

    def fail_next(self, method: str, status: int, code: str = "", words: str = "", times: int = 1) -> None:
        """Refuse the next calls; 403 without a code is the limit of calls a second."""
        self._add(DingTalkFault(method, status, code, words, times=times))

    def reset_next(self, method: str, when: Reset = "before", times: int = 1) -> None:
        """Cut the connection before the effect, or after it so that only the answer is lost."""
        self._add(DingTalkFault(method, reset=when, times=times))

    def slow_next(self, method: str, delay: float, times: int = 1) -> None:
        """Wait before doing as asked."""
        self._add(DingTalkFault(method, delay=delay, times=times))

    def garble_next(self, method: str, body: str = "<html>", times: int = 1) -> None:
        """Do as asked but answer with something that is no answer."""
        self._add(DingTalkFault(method, body=body, times=times))

    def frames_next(self, how: Literal["split", "double", "reverse"], count: int = 1) -> None:
        """Push the next frames in pieces, or twice each, or in reverse (once so many have come)."""
        with self._lock:
            self._frames[how] = self._frames.get(how, 0) + count

    def outage(self, seconds: float) -> None:
        """From now on, for so long, answer nobody. (What is connected is cut by the simulator's `drop`.)"""
        with self._lock:
            self._out_until = time.monotonic() + seconds

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        with self._lock:
            self._waiting.clear()
            self._frames.clear()
            self._out_until = 0.0

    def out(self) -> bool:
        """Whether there is an outage now."""
        with self._lock:
            return time.monotonic() < self._out_until

    def take(self, method: str) -> DingTalkFault:
        """What goes wrong with this call; an empty fault for nothing."""
        with self._lock:
            for fault in self._waiting:
                if fault.method == method or (not fault.method and method != "open"):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault
        return DingTalkFault(method)

    def take_frame(self, how: str) -> bool:
        """Whether a frame that is pushed now is to be pushed so."""
        with self._lock:
            left = self._frames.get(how, 0)
            self._frames[how] = max(0, left - 1)
            return left > 0

    def left(self, how: str) -> int:
        """How many frames are still to be pushed so."""
        with self._lock:
            return self._frames.get(how, 0)

    def _add(self, fault: DingTalkFault) -> None:
        with self._lock:
            self._waiting.append(fault)


def raise_for(fault: DingTalkFault) -> None:
    """Raise the answer that a fault asks for, if it asks for one."""
    if fault.status == 403 and not fault.code:
        raise too_many()
    if fault.status:
        raise DingTalkErrorResponse(
            fault.status, fault.code or "ServiceUnavailable", fault.words or "on purpose"
        )


@dataclass(frozen=True)
class DingTalkRateLimits:
    """How often an app may call the card APIs in a second, all of its cards together."""

    cards_per_second: int = 40


class DingTalkRateLimiter:
    """Counts the calls of the last second."""

    def __init__(self, pace: DingTalkRateLimits | None) -> None:
        self._most = 0 if pace is None else pace.cards_per_second
        self._calls: deque[float] = deque()
        self.refused = 0

    def check(self) -> None:
        """Raises DingTalkErrorResponse (403) when there were too many."""
        now = time.monotonic()
        while self._calls and self._calls[0] <= now - 1.0:
            self._calls.popleft()
        if self._most and len(self._calls) >= self._most:
            self.refused += 1
            raise too_many()
        self._calls.append(now)
