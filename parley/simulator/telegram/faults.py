"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

from dataclasses import dataclass

from parley.simulator.kit.faults import MethodFault, MethodFaults
from parley.simulator.kit.rate_limiter import RateLimiter
from parley.simulator.telegram.errors import TelegramErrorResponse, too_many


@dataclass
class TelegramFault(MethodFault):
    """A fault of the next calls of `method` ("" for any but polling), which `status` refuses."""

    spared = "getupdates"
    status: int = 0
    description: str = ""
    retry_after: int = 0

    def __post_init__(self) -> None:
        # Bots may write methods in any case; the server names them in this one.
        self.method = self.method.lower()

    def refuse(self) -> None:
        """Raise TelegramErrorResponse where it refuses."""
        if self.status == 429:
            raise too_many(self.retry_after or 1)
        if self.status:
            words = self.description or f"error {self.status}"
            raise TelegramErrorResponse(self.status, words, self.retry_after)


class TelegramFaults(MethodFaults[TelegramFault]):
    """Faults waiting to happen; may be asked for from any thread."""

    kind = TelegramFault

    def fail_next(
        self, method: str, status: int, description: str = "", retry_after: int = 0, times: int = 1
    ) -> None:
        """Refuse the next calls; 429 carries `retry_after`."""
        self._add(TelegramFault(method, status, description, retry_after, times=times))


@dataclass(frozen=True)
class TelegramRateLimits:
    """How fast a bot may write: a burst, then so many a second in a chat and a minute in a group."""

    burst: int = 5
    per_second: float = 1.0
    group_per_minute: int = 20


class TelegramRateLimiter(RateLimiter):
    """Counts what a bot writes, sends and edits alike, and refuses with the exact time to wait."""

    def __init__(self, pace: TelegramRateLimits | None) -> None:
        super().__init__()
        self._pace = pace

    def check(self, chat_id: int) -> None:
        """Raise TelegramErrorResponse (429) when the chat has had enough for now."""
        if self._pace is None:
            return
        limits = [(self._pace.burst, self._pace.burst / self._pace.per_second)]
        if chat_id < 0:
            limits.append((self._pace.group_per_minute, 60.0))
        if seconds := self.wait(str(chat_id), *limits):
            raise too_many(seconds)
