"""How far a slow benchmark is, for whoever watches it."""

from __future__ import annotations

import sys


def show_progress(done: int, many: int, what: str) -> None:
    """Write "3 of 10 dialogues" over the line before; nothing where nobody watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {many} {what} " + ("\n" if done == many else ""))
        sys.stderr.flush()
