"""What was seen lately."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class LruCache(Generic[V]):
    """Values by key; the `most` that were put last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[str, V] = OrderedDict()

    def put(self, key: str, value: V) -> None:
        """Keep a value."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)

    def get(self, key: str) -> V | None:
        """Return the value, if it is still kept."""
        return self._values.get(key)
