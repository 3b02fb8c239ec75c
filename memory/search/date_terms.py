"""Dates as search terms, so that "on 4 May", "5月4日" and a fact learned on that day match each other.

A day gives `#2024`, `#-05`, `#2024-05`, `#-05-04`: a year, a month of any year, a month, a day of any year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_NAMES = "january february march april may june july august september october november december"
_MONTHS = _NAMES.split()
_NUMBER = {name[:3]: place for place, name in enumerate(_MONTHS, 1)} | {"sept": 9}
_NUMBER |= {name: place for place, name in enumerate(_MONTHS, 1)}
_ANY = "|".join(sorted(_NUMBER, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_WRITTEN = re.compile(
    rf"""\b(?P<y1>{_YEAR})-(?P<m1>\d\d?)(?:-(?P<d1>\d\d?))?\b
    | (?:(?P<y2>{_YEAR})\s*年\s*)?(?P<m2>\d\d?)\s*月(?:\s*(?P<d2>\d\d?)\s*[日号號])?
    | (?P<y3>{_YEAR})\s*年
    | \b(?P<d4>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m4>{_ANY})\b\.?(?:,?\s+(?P<y4>{_YEAR})\b)?
    | \b(?P<m5>{_ANY})\b\.?\s+(?P<d5>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+(?P<y5>{_YEAR})\b)?
    | \b(?P<m6>{_ANY})\b\.?(?:,?\s+(?P<y6>{_YEAR})\b)
    | \b(?:in|since|until|by|during|of|for|last|next|this|early|late|mid)\s+(?P<m7>{_ANY})\b
    | \b(?P<y8>{_YEAR})\b""",
    re.VERBOSE | re.IGNORECASE,
)
_MAY_HOLD_ONE = re.compile(rf"\d|{_ANY}", re.IGNORECASE)


def day_terms(at: str) -> list[str]:
    """Return the terms of the day that an ISO 8601 time begins with; none for anything else."""
    return list(_day_terms(at[:10]))


@lru_cache(maxsize=4096)
def _day_terms(day: str) -> tuple[str, ...]:
    found = _WRITTEN.match(day)
    return tuple(_of(found)) if found else ()


def written_days(text: str) -> list[str]:
    """Return the terms of every date written in a text, in English or Chinese."""
    if not _MAY_HOLD_ONE.search(text):
        return []
    return [term for found in _WRITTEN.finditer(text) for term in _of(found)]


def without_days(text: str) -> str:
    """Return a text without the dates that are written in it."""
    return _WRITTEN.sub(" ", text) if _MAY_HOLD_ONE.search(text) else text


def _of(found: re.Match[str]) -> Iterator[str]:
    parts = {name[0]: value for name, value in found.groupdict().items() if value}
    year, month, day = parts.get("y", ""), _month(parts.get("m", "")), parts.get("d", "").zfill(2)
    if year:
        yield f"#{year}"
    if month:
        yield f"#-{month}"
        if year:
            yield f"#{year}-{month}"
        if day != "00":
            yield f"#-{month}-{day}"


def _month(written: str) -> str:
    number = int(written) if written.isdigit() else _NUMBER.get(written.lower(), 0)
    return f"{number:02}" if 1 <= number <= 12 else ""
