"""What goes wrong on request, and the platform's own limits of pace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parley.simulator.feishu.errors import FeishuErrorResponse, too_many
from parley.simulator.kit.faults import Fault, Faults, Reset
from parley.simulator.kit.limits import load_limits

_ROWS = load_limits("feishu")


@dataclass
class FeishuFault(Fault):
    """A fault of the next calls of any of `names` (none: of all).

    `code` (with `status`) refuses, `reset_header` being the seconds of a rate limit.
    """

    names: tuple[str, ...] = ()
    code: int = 0
    message: str = ""
    status: int = 400
    reset_header: int = 0

    def strikes(self, call: str) -> bool:
        """Return whether it is for a call of this name."""
        return call in self.names or not self.names

    def refuse(self) -> None:
        """Raise FeishuErrorResponse where it refuses."""
        if self.code:
            raise FeishuErrorResponse(self.code, self.message, self.status, self.reset_header)


class FeishuFaults(Faults[FeishuFault]):
    """Faults waiting to happen; may be asked for from any thread."""

    kind = FeishuFault

    def __init__(self) -> None:
        super().__init__()
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

    def clear(self) -> None:
        """Forget all faults and end an outage."""
        super().clear()
        self.split, self.copies, self.backwards, self.mute = 1, 1, False, False


@dataclass(frozen=True)
class FeishuRateLimits:
    """Most operations a second on a card, a message and a chat, and most calls of each method a second and
    a minute; 0 for no limit.
    """

    card: int = _ROWS["card_operations"].whole
    edit: int = _ROWS["patch_of_message"].whole
    chat: int = _ROWS["messages_to_group"].whole
    method: int = _ROWS["api_calls_per_second"].whole
    method_minute: int = _ROWS["api_calls_per_minute"].whole


@dataclass(frozen=True)
class FeishuSimulatorTiming:
    """Seconds: until an event counts as not acknowledged, and before each new delivery of it.

    `ping` is what the app is told to do, `stream` the life of a streaming card, `token` that of a token,
    `answer` how long the answer to a press is on its way; `poll` and `registration` are the pause between
    looks at an app that is being made, and how long it may be; `card` is the life of a card entity.
    """

    ack: float = 3.0
    redelivery: tuple[float, ...] = (15.0, 300.0, 3600.0, 21600.0)
    ping: float = 120.0
    stream: float = 600.0
    token: float = 7200.0
    answer: float = 0.05
    poll: float = 5.0
    registration: float = 600.0
    card: float = _ROWS["card_life"].whole
