"""What goes wrong on request, and the platform's own pace."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from parley.simulator.kit.faults import MethodFault, MethodFaults
from parley.simulator.kit.limits import load_limits
from parley.simulator.kit.rate_limiter import RateLimiter
from parley.simulator.telegram.errors import TelegramErrorResponse, too_many

_ROWS = load_limits("telegram")


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
    """How fast a bot may write: a burst, then so many a second in a chat, a minute in a group, and a second
    in all. Drafts and "typing" have a burst, and so many a second in a chat, of their own. Who is too fast is
    silenced for `harsh` seconds in that chat, the next time for twice as long; with 0 only for as long as the
    limit asks for.
    """

    burst: int = 10
    per_second: float = _ROWS["messages_in_chat"].number
    group_per_minute: int = _ROWS["messages_in_group"].whole
    all_per_second: int = _ROWS["messages_overall"].whole
    harsh: int = _ROWS["harsh_retry_after"].whole


_LONGEST_PENALTY = 245


class TelegramRateLimiter(RateLimiter):
    """Counts what a bot writes in each chat, sends and edits alike; and beside that what it only shows there,
    which is drafts and "typing".
    """

    def __init__(self, pace: TelegramRateLimits | None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._pace = pace
        self._silent_until: dict[str, float] = {}
        self._penalties: Counter[str] = Counter()

    def check(self, chat_id: int) -> None:
        """Raise TelegramErrorResponse (429) when the chat has had enough messages for now."""
        if self._pace is None:
            return
        limits = [(self._pace.burst, self._pace.burst / self._pace.per_second)]
        if chat_id < 0:
            limits.append((self._pace.group_per_minute, 60.0))
        key = str(chat_id)
        self._refuse_silenced(key)
        wait = self.wait(key, *limits) or self.wait("all", (self._pace.all_per_second, 1.0))
        if wait:
            self._silence(key, wait, self._pace.harsh)

    def check_shown(self, chat_id: int) -> None:
        """Raise TelegramErrorResponse (429) when the chat has had enough drafts for now."""
        if self._pace is None:
            return
        key = f"shown {chat_id}"
        self._refuse_silenced(key)
        if wait := self.wait(key, (self._pace.burst, self._pace.burst / self._pace.per_second)):
            self._silence(key, wait, self._pace.harsh)

    def _refuse_silenced(self, key: str) -> None:
        silent = math.ceil(self._silent_until.get(key, 0.0) - self._clock())
        if silent > 0:
            self.refused += 1
            raise too_many(silent)

    def _silence(self, key: str, wait: int, harsh: int) -> None:
        self._penalties[key] += 1
        growing = harsh * 2 ** min(10, self._penalties[key] - 1)
        seconds = max(wait, min(_LONGEST_PENALTY, growing))
        self._silent_until[key] = self._clock() + seconds if harsh else 0.0
        raise too_many(seconds)
