"""Attempts while the store is away, and the pauses between them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from parley.core.model.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from parley.core.ports.journal import STORE_PAUSE

T = TypeVar("T")
Unavailable = StoreUnavailable | ChannelUnavailable | RateLimited


@dataclass(frozen=True, slots=True)
class RetryPauses:
    """Pauses in seconds: `first`, and each twice as long as the one before, up to `longest`.

    There are `attempts` of them, for None without end; then the pause for the store is always STORE_PAUSE.
    """

    first: float
    longest: float = 30.0
    attempts: int | None = None

    def __iter__(self) -> Iterator[float]:
        for number in count() if self.attempts is None else range(self.attempts):
            yield min(self.longest, self.first * 2.0 ** min(number, 30))


UNTIL_STORED = RetryPauses(0.5, 30.0)
"""For what the platform does not send again."""


def log_wait(log: logging.Logger, what: str) -> Callable[[Unavailable], None]:
    """Return what tells the log that something waits; that the store is away is said once, elsewhere."""

    def waits(error: Unavailable) -> None:
        level = logging.DEBUG if isinstance(error, StoreUnavailable) else logging.WARNING
        log.log(level, "%s waits (%s)", what, error)

    return waits


async def retry(
    work: Callable[[], Awaitable[T]],
    waits: Callable[[Unavailable], None],
    pauses: RetryPauses = UNTIL_STORED,
    on: type[Unavailable] | tuple[type[Unavailable], ...] = StoreUnavailable,
) -> T:
    """Do `work` until it does not raise one of `on`; `waits` is told of each, for the log.

    Where a platform asks for a longer pause, that is kept. Raises the last error when `pauses` has an end,
    and what `waits` raises to give up before.
    """
    remaining = iter(pauses)
    while True:
        try:
            return await work()
        except on as error:
            waits(error)
            away = isinstance(error, StoreUnavailable) and pauses.attempts is None
            pause = STORE_PAUSE if away else next(remaining, None)
            if pause is None:
                raise
            asked = error.retry_after if isinstance(error, RateLimited) else 0.0
        await asyncio.sleep(max(asked, pause))
