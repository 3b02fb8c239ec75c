"""What a terminal obeys: control characters in text from outside are shown by their codes, never sent."""

from __future__ import annotations

import io
import sys
from typing import TextIO

_OBEYED = (*range(0x20), *range(0x7F, 0xA0))
_REORDERING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))


def escape_table(*characters: int) -> dict[int, str]:
    """Return a table for `str.translate` that writes these characters as Python would in a string."""
    return {each: chr(each).encode("unicode_escape").decode("ascii") for each in characters}


CONTROLS = escape_table(*(each for each in _OBEYED if each != ord("\t")), *_REORDERING)
"""What obeys or reorders, with the line end, without the tab."""
_PRINTED = {each: shown for each, shown in CONTROLS.items() if each != ord("\n")}


class SafeTerminal(io.TextIOWrapper):
    """A terminal that gets text only: what would move its cursor, or answer for its user, is shown."""

    def write(self, text: str, /) -> int:
        """Write the text; return its length as it was given."""
        super().write(text.translate(_PRINTED))
        return len(text)


def guard_terminals() -> None:
    """Let standard output and error show control characters where they are terminals; pipes get all."""
    sys.stdout, sys.stderr = _guarded(sys.stdout), _guarded(sys.stderr)


def _guarded(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper) or isinstance(stream, SafeTerminal) or not stream.isatty():
        return stream
    encoding, errors, by_line, at_once = (
        stream.encoding,
        stream.errors,
        stream.line_buffering,
        stream.write_through,
    )
    return SafeTerminal(stream.detach(), encoding, errors, line_buffering=by_line, write_through=at_once)
