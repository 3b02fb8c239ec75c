"""What is known of people, by id: asked for once, and kept for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from parley.channels.kit.lru import LruCache

V = TypeVar("V")
MAX_USERS = 10_000


class UserCache(Generic[V]):
    """Values of people, each good for some seconds. `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: LruCache[tuple[float, V]] = LruCache(MAX_USERS)

    def put(self, user: str, value: V, life: float) -> V:
        """Keep a value, fresh for `life` seconds; returns it."""
        self._known.put(user, (self._clock() + life, value))
        return value

    def fresh(self, user: str) -> V | None:
        """Return the value if it is still good."""
        until, value = self._known.get(user) or (0.0, None)
        return value if self._clock() < until else None

    def last(self, user: str) -> V | None:
        """Return the value, good or old."""
        known = self._known.get(user)
        return None if known is None else known[1]
