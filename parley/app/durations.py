"""Spans of time for people to read."""

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def format_duration(seconds: float) -> str:
    """Return `seconds` in the largest unit that they fill."""
    seconds = max(0.0, seconds)
    for unit, name in _UNITS:
        if seconds >= unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"
