"""Buckets: the parts that lanes are dealt into, so that one day they may be of several nodes or databases.

A lane belongs to one bucket for ever, and so does all that is found by it: its items, and the names against
duplicates that they came under. The schema of PostgreSQL has the same function.
"""

from __future__ import annotations

from hashlib import sha256

BUCKETS = 256
"""How many there are. A store keeps the numbers: never change it."""


def bucket_of(lane: str) -> int:
    """Return the bucket of a lane, or of a conversation's key: 0 to 255, the same on every machine."""
    return sha256(lane.encode("utf-8", "surrogatepass")).digest()[0]
