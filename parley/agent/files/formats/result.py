"""What reading a file gives: a word for what follows, and the bytes; or a refusal."""

from __future__ import annotations

Result = tuple[str, bytes]


class ReadRefused(Exception):
    """The file cannot be read; the first argument is the word for it, the second what goes with it."""


def text_result(text: str, most: int, *, bare: bool = True) -> Result:
    """Return a text, at most one character more than `most`. Raises ReadRefused where there is none."""
    if not text.strip():
        raise ReadRefused("empty")
    text = text.strip() if bare else text
    return "text/plain", text[: most + 1].encode("utf-8", "replace")
