"""Text in an encoding that takes guessing."""

from __future__ import annotations

from charset_normalizer import from_bytes

from .result import ReadRefused, Result, text_result


def read(content: bytes, most: int) -> Result:
    """Return the text."""
    best = from_bytes(content[: 8 * most]).best()
    if best is None:
        raise ReadRefused("unknown")
    return text_result(str(best), most)
