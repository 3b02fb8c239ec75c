"""Times as they are stored: ISO 8601 in UTC, ending in Z, so that they sort as text."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_STORED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


def format_timestamp(seconds: float) -> str:
    """Unix seconds as a stored time; what no calendar holds becomes empty."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return ""
    return _stored(moment)


def normalise_timestamp(text: str) -> str:
    """Any ISO 8601 time as a stored one; one without a zone is taken as UTC, and no time as empty."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if _STORED.fullmatch(text):
            return text
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return _stored(aware.astimezone(UTC))
    except (OverflowError, ValueError):
        return ""


def _stored(moment: datetime) -> str:
    # Always with microseconds: "…:05Z" would sort after "…:05.5Z".
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
