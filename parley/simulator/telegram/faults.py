"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

from parley.simulator.telegram.errors import TelegramErrorResponse, too_many

Reset = Literal["", "before", "after"]


@dataclass
class TelegramFault:
    """One thing that goes wrong with the next `times` calls of `method` ("" for any but polling).

    `status` answers so without any effect; `body` answers with that text and status 200, after the effect;
    `delay` waits that many seconds first; `reset` cuts the connection before or after the effect.
    """

    method: str
    status: int = 0
    description: str = ""
    retry_after: int = 0
    body: str = ""
    delay: float = 0.0
    reset: Reset = ""
    times: int = 1


class TelegramFaults:
    """Faults waiting to happen; may be asked for from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[TelegramFault] = []
        self._out_until = 0.0

    def fail_next(
        self, method: str, status: int, description: str = "", retry_after: int = 0, times: int = 1
    ) -> None:
        """Refuse the next calls; 429 carries `retry_after`."""
        self._add(TelegramFault(method, status, description, retry_after, times=times))

    def reset_next(self, method: str, when: Reset = "before", times: int = 1) -> None:
        """Cut the connection before the effect, or after it so that only the answer is lost."""
        self._add(TelegramFault(method, reset=when, times=times))

    def slow_next(self, method: str, delay: float, times: int = 1) -> None:
        """Wait before doing as asked."""
        self._add(TelegramFault(method, delay=delay, times=times))

    def garble_next(self, method: str, body: str = "<html>", times: int = 1) -> None:
        """Do as asked but answer with something that is no answer."""
        self._add(TelegramFault(method, body=body, times=times))

    def outage(self, seconds: float) -> None:
        """From now on, for so long, cut every connection."""
        with self._lock:
            self._out_until = time.monotonic() + seconds

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        with self._lock:
            self._waiting.clear()
            self._out_until = 0.0

    def out(self) -> bool:
        """Whether there is an outage now."""
        with self._lock:
            return time.monotonic() < self._out_until

    def take(self, method: str) -> TelegramFault:
        """What goes wrong with this call; an empty fault for nothing."""
        with self._lock:
            for fault in self._waiting:
                named = fault.method.lower()
                if named == method or (not named and method != "getupdates"):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault
        return TelegramFault(method)

    def _add(self, fault: TelegramFault) -> None:
        with self._lock:
            self._waiting.append(fault)


def raise_for(fault: TelegramFault) -> None:
    """Raise the answer that a fault asks for, if it asks for one."""
    if fault.status == 429:
        raise too_many(fault.retry_after or 1)
    if fault.status:
        raise TelegramErrorResponse(
            fault.status, fault.description or f"error {fault.status}", fault.retry_after
        )


@dataclass(frozen=True)
class TelegramRateLimits:
    """How fast a bot may write: a burst, then so many a second in a chat and a minute in a group."""

    burst: int = 5
    per_second: float = 1.0
    group_per_minute: int = 20


class TelegramRateLimiter:
    """Counts what a bot writes, sends and edits alike, and refuses with the exact time to wait."""

    def __init__(self, pace: TelegramRateLimits | None) -> None:
        self._pace = pace
        self._sent: dict[int, deque[float]] = {}

    def check(self, chat_id: int) -> None:
        """Raises TelegramErrorResponse (429) when the chat has had enough for now."""
        if self._pace is None:
            return
        now, sent = time.monotonic(), self._sent.setdefault(chat_id, deque(maxlen=200))
        windows = [(self._pace.burst, self._pace.burst / self._pace.per_second)]
        if chat_id < 0:
            windows.append((self._pace.group_per_minute, 60.0))
        waits = [sent[-count] + window - now for count, window in windows if len(sent) >= count]
        wait = max(waits, default=0.0)
        if wait > 0:
            raise too_many(max(1, math.ceil(wait)))
        sent.append(now)
