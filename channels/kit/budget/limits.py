"""What a platform counts, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `most` calls within `seconds`."""

    most: int
    seconds: float


@dataclass(frozen=True, slots=True)
class CountedCalls:
    """Calls that a platform counts together, under `key`: those of a method, say, or those to a chat.

    `final` is how many of them the end of a reply takes. So much room is kept for each reply that grows by
    such calls.
    """

    key: str
    limits: tuple[RateLimit, ...]
    final: int = 0
