"""Patterns of operators that meet what anybody writes: matched by RE2, in time that grows with the text only.

Python's own engine tries again and again where a pattern is ambiguous: `(a+)+$` and thirty letters stop a
process for minutes. RE2 has no such patterns, and says so of what it does not know (back references, looking
around).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from parley.app.extras import install_command

_MOST_CHARS = 1000


@lru_cache(maxsize=1000)
def compile_pattern(text: str) -> Callable[[str], bool]:
    """Return what tells whether a pattern is found in a text. Raises ValueError that says what to do."""
    if not text:
        return lambda said: True
    try:
        re2 = import_module("re2")
    except ModuleNotFoundError as error:
        raise ValueError(f"google-re2 is not installed; run: {install_command('rules')}") from error
    if len(text) > _MOST_CHARS:
        raise ValueError(f"has more than {_MOST_CHARS:,} characters; write several rules")
    options = re2.Options()
    options.log_errors = False
    try:
        pattern = re2.compile(text, options)
    except re2.error as error:
        said = error.args[0] if error.args else b""
        words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ValueError(f"is no pattern of RE2: {words[:200]} (docs/bots.md)") from error
    # A lone surrogate is no text for RE2.
    return lambda said: pattern.search(said.encode("utf-8", "replace").decode()) is not None
