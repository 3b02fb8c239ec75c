"""Fact ids: `fact_` and 8 hex digits, never given twice to one person's facts."""

from __future__ import annotations

import re
from collections.abc import Container
from hashlib import sha256

_PREFIX = "fact_"
_OURS = re.compile(r"fact_[0-9a-f]{8}")
# A full-period generator over 32 bits (Knuth's constants): every id comes once before one comes again.
_FACTOR, _STEP, _MODULUS = 1664525, 1013904223, 1 << 32


def next_id(last: str, taken: Container[str], seed: str) -> str:
    """Return the id after `last`, skipping those `taken`; the first one follows from `seed`."""
    place = int(last[len(_PREFIX) :], 16) if _OURS.fullmatch(last) else int(_digest(seed), 16)
    while True:
        place = (place * _FACTOR + _STEP) % _MODULUS
        candidate = f"{_PREFIX}{place:08x}"
        if candidate not in taken:
            return candidate


def derive_fact_id(text: str) -> str:
    """Return an id for an entry that has none, the same each time it is read."""
    return _PREFIX + _digest(text)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
