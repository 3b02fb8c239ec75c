"""What goes wrong on request, and the platform's own limits of pace."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from parley.simulator.feishu.errors import FeishuErrorResponse, too_many

Reset = Literal["", "before", "after"]


@dataclass
class FeishuFault:
    """One thing that goes wrong with the next `times` calls of any of `names` (none: of all).

    `code` (with `status`) refuses without any effect, `reset_header` being the seconds of a rate limit;
    `body` answers with that text after the effect; `delay` waits first; `reset` cuts the connection.
    """

    names: tuple[str, ...] = ()
    code: int = 0
    message: str = ""
    status: int = 400
    reset_header: int = 0
    body: str = ""
    delay: float = 0.0
    reset: Reset = ""
    times: int = 1


class FeishuFaults:
    """Faults waiting to happen; may be asked for from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[FeishuFault] = []
        self._out_until = 0.0
        self.split = 1
        """Into how many frames each event is cut."""
        self.copies = 1
        """How often each event is pushed."""
        self.backwards = False
        """Whether events that are due together are pushed last first."""
        self.mute = False
        """Whether connections stand but nothing comes over them any more."""

    def refuse_next(
        self,
        names: Sequence[str],
        code: int,
        message: str = "refused on purpose",
        status: int = 400,
        reset: int = 0,
        times: int = 1,
    ) -> None:
        """Answer the next calls with a code, without any effect."""
        self._add(FeishuFault(tuple(names), code, message, status, reset, times=times))

    def limit_next(self, names: Sequence[str], seconds: int, times: int = 1) -> None:
        """Answer the next calls with 429 and the seconds to wait."""
        limit = too_many(seconds)
        self._add(FeishuFault(tuple(names), limit.code, limit.message, 429, seconds, times=times))

    def reset_next(self, names: Sequence[str], when: Reset = "before", times: int = 1) -> None:
        """Cut the connection before the effect, or after it so that only the answer is lost."""
        self._add(FeishuFault(tuple(names), reset=when, times=times))

    def slow_next(self, names: Sequence[str], delay: float, times: int = 1) -> None:
        """Wait before doing as asked."""
        self._add(FeishuFault(tuple(names), delay=delay, times=times))

    def garble_next(self, names: Sequence[str], body: str = "<html>", times: int = 1) -> None:
        """Do as asked but answer with something that is no answer."""
        self._add(FeishuFault(tuple(names), body=body, times=times))

    def outage(self, seconds: float) -> None:
        """From now on, for so long, cut every connection."""
        with self._lock:
            self._out_until = time.monotonic() + seconds

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        with self._lock:
            self._waiting.clear()
            self._out_until = 0.0
            self.split, self.copies, self.backwards, self.mute = 1, 1, False, False

    def out(self) -> bool:
        """Whether there is an outage now."""
        with self._lock:
            return time.monotonic() < self._out_until

    def take(self, name: str) -> FeishuFault:
        """What goes wrong with this call; an empty fault for nothing."""
        with self._lock:
            for fault in self._waiting:
                if name in fault.names or not fault.names:
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault
        return FeishuFault()

    def _add(self, fault: FeishuFault) -> None:
        with self._lock:
            self._waiting.append(fault)


def raise_for(fault: FeishuFault) -> None:
    """Raise the answer that a fault asks for, if it asks for one."""
    if fault.code:
        raise FeishuErrorResponse(fault.code, fault.message, fault.status, fault.reset_header)


@dataclass(frozen=True)
class FeishuRateLimits:
    """Most operations a second; 0 for no limit."""

    card: int = 10
    edit: int = 5
    chat: int = 0


def check_rate_limit(times: list[float], most: int) -> None:
    """Note one more operation now. Raises FeishuErrorResponse when there were too many within a second."""
    now = time.monotonic()
    times[:] = [at for at in times if now - at < 1.0]
    if most and len(times) >= most:
        raise too_many(1)
    times.append(now)


@dataclass(frozen=True)
class FeishuSimulatorTiming:
    """Seconds: until an event counts as not acknowledged, and before each new delivery of it.

    `ping` is what the app is told to do, `stream` the life of a streaming card, `token` that of a token.
    """

    ack: float = 3.0
    redelivery: tuple[float, ...] = (15.0, 300.0, 3600.0, 21600.0)
    ping: float = 120.0
    stream: float = 600.0
    token: float = 7200.0
