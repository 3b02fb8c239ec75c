"""A share of what is under way for each account, so that the flood of one leaves room for all others."""

from __future__ import annotations

import asyncio
from collections import Counter, deque


class FairShare:
    """No account has more than `most` turns under way; the rest of them wait, first come first served."""

    def __init__(self, most: int) -> None:
        self._most = max(1, most)
        self._held: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        self._closed = False

    def is_full(self, account: str) -> bool:
        """Return whether the account has no place left."""
        return self._held[account] >= self._most

    def try_acquire(self, account: str) -> bool:
        """Take a place, if the account has one left."""
        if self.is_full(account):
            return False
        self._held[account] += 1
        return True

    async def acquire(self, account: str) -> None:
        """Take a place as soon as there is one. Raises CancelledError once closed."""
        if not self._closed and self.try_acquire(account):
            return
        place = asyncio.get_running_loop().create_future()
        if self._closed:
            place.cancel()
        self._waiting.setdefault(account, deque()).append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.release(account)
            raise

    def release(self, account: str) -> None:
        """Free a place: whoever of the account waits longest has it now."""
        waiting = self._waiting.get(account, ())
        while waiting:
            place = waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._waiting.pop(account, None)
        self._held[account] -= 1
        if not self._held[account]:
            del self._held[account]

    def close(self) -> None:
        """Let nobody in any more who waits."""
        self._closed = True
        for waiting in self._waiting.values():
            for place in waiting:
                place.cancel()
