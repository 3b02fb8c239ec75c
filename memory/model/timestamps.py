"""Timestamps as stored: ISO 8601 in UTC, ending in Z, so that they sort as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_DATE = re.compile(r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?")
_STORED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def format_timestamp(seconds: float) -> str:
    """Return Unix seconds as a stored timestamp; empty for times outside the calendar."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return _stored(moment)


def normalise_timestamp(text: str) -> str:
    """Return any ISO 8601 time as a stored one; without a zone it is UTC, and no time is empty."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if _STORED.fullmatch(text):
            return text
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return _stored(aware.astimezone(UTC))
    except (OverflowError, ValueError):
        return ""


def normalise_date(text: str) -> str:
    """Return a year, a month, a day or a time as it is stored; empty for anything else."""
    plain = text.strip()
    return plain if _DATE.fullmatch(plain) else normalise_timestamp(plain)


def _stored(moment: datetime) -> str:
    # Always with microseconds: "…:05Z" would sort after "…:05.5Z".
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
