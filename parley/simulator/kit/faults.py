"""The fault engine: what shall go wrong with the next calls of a bot, and outages."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from aiohttp import web

Reset: TypeAlias = Literal["", "before", "after"]


@dataclass(kw_only=True)
class Fault(ABC):
    """One thing that goes wrong with the next `times` calls that it is for.

    `body` answers with that text after the effect; `delay` waits that many seconds first; `reset` cuts the
    connection before or after the effect. Each platform adds how it refuses, without any effect.
    """

    body: str = ""
    delay: float = 0.0
    reset: Reset = ""
    times: int = 1

    @abstractmethod
    def strikes(self, call: str) -> bool:
        """Return whether it is for a call of this name."""

    @abstractmethod
    def refuse(self) -> None:
        """Raise the platform's error that it asks for, if it asks for one."""

    def lose_answer(self) -> None:
        """Raise ConnectionResetError where the effect stays but the answer is lost."""
        if self.reset == "after":
            raise ConnectionResetError

    def spoil(self, answer: web.StreamResponse) -> web.StreamResponse:
        """Return the answer or what stands in its place. Raises ConnectionResetError where it is lost."""
        self.lose_answer()
        return web.Response(text=self.body, content_type="text/html") if self.body else answer


@dataclass
class MethodFault(Fault):
    """A fault of the calls of `method`, or with "" of all calls but those of the `spared` one."""

    method: str = ""
    spared: ClassVar[str] = ""

    def strikes(self, call: str) -> bool:
        """Return whether it is for a call of this method."""
        return self.method == call or (not self.method and call != self.spared)


F = TypeVar("F", bound=Fault)
M = TypeVar("M", bound=MethodFault)


class Faults(Generic[F]):
    """Faults waiting to happen; may be asked for from any thread. A call is cut by ConnectionResetError."""

    kind: type[F]

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[F] = []
        self._out_until = 0.0

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
        """Return whether there is an outage now."""
        with self._lock:
            return time.monotonic() < self._out_until

    def check_outage(self) -> None:
        """Raise ConnectionResetError during an outage."""
        if self.out():
            raise ConnectionResetError

    def take(self, call: str) -> F:
        """Return what goes wrong with this call; an empty fault for nothing."""
        with self._lock:
            for fault in self._waiting:
                if fault.strikes(call):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._waiting.remove(fault)
                    return fault
        return self.kind()

    async def begin(self, call: str, *, effect: bool = True) -> F:
        """Return what else goes wrong with a call, after the delay. Raises ConnectionResetError.

        Without an `effect`, any reset cuts the connection at once.
        """
        fault = self.take(call)
        self.check_outage()
        if fault.reset == "before" or (fault.reset and not effect):
            raise ConnectionResetError
        await asyncio.sleep(fault.delay)
        return fault

    def _add(self, fault: F) -> None:
        with self._lock:
            self._waiting.append(fault)


class MethodFaults(Faults[M]):
    """Faults of calls that are named by their methods."""

    def reset_next(self, method: str, when: Reset = "before", times: int = 1) -> None:
        """Cut the connection before the effect, or after it so that only the answer is lost."""
        self._add(self.kind(method, reset=when, times=times))

    def slow_next(self, method: str, delay: float, times: int = 1) -> None:
        """Wait before doing as asked."""
        self._add(self.kind(method, delay=delay, times=times))

    def garble_next(self, method: str, body: str = "<html>", times: int = 1) -> None:
        """Do as asked but answer with something that is no answer."""
        self._add(self.kind(method, body=body, times=times))
