"""QR codes, where the package that draws them is installed."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from typing import Any


def qr_lines(text: str) -> str:
    """Return a code for a terminal; "" where there is none."""
    drawn = io.StringIO()
    if code := _made(text):
        code.terminal(out=drawn, compact=True, border=1)
    return drawn.getvalue()


def qr_rows(text: str) -> Sequence[str]:
    """Return the rows of a code, of 0 and 1, without a border; nothing where there is none."""
    code = _made(text)
    return ["".join(map(str, row)) for row in code.matrix] if code else []


def _made(text: str) -> Any:  # noqa: ANN401 - segno has no types
    try:
        segno = importlib.import_module("segno")
    except ModuleNotFoundError:
        return None
    return segno.make(text, error="l", micro=False)
