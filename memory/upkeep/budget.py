"""A budget of model calls and tokens for each day (UTC)."""

from __future__ import annotations

from collections.abc import Callable

_DAY = 86_400.0


class DailyBudget:
    """What may be spent today; a process that starts again begins with a whole day's."""

    def __init__(self, calls: int, tokens: int, clock: Callable[[], float]) -> None:
        self._calls, self._tokens = calls, tokens
        self._clock = clock
        self._day = -1.0
        self._left = (0, 0)

    def take(self, tokens: int) -> bool:
        """Spend one call of so many tokens; False, and nothing is spent, where that is more than is left."""
        day = self._clock() // _DAY
        if day != self._day:
            self._day, self._left = day, (self._calls, self._tokens)
        calls, left = self._left
        if calls < 1 or tokens > left:
            return False
        self._left = (calls - 1, left - tokens)
        return True
