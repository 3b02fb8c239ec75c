"""Which answers gain from a rich message, which Telegram lays out itself. Plain prose never does."""

from __future__ import annotations

import logging
import re

from parley.channels.telegram.errors import RichRefused

log = logging.getLogger(__name__)

MAX_RICH_CHARS = 32_768

_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+\S")
_NESTED = re.compile(r"(?: {2}|\t)[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++\S")


def wants_layout(markdown: str) -> bool:
    """Tell whether there is a table, a heading, a nested list or a formula, and it all fits."""
    if len(markdown) > MAX_RICH_CHARS:
        return False
    prose = _CODE.sub("", markdown)
    return prose.count("$$") >= 2 or any(_is_laid_out(line) for line in prose.splitlines())


def _is_laid_out(line: str) -> bool:
    if _HEADING.match(line) or _NESTED.match(line):
        return True
    # The ruler under a table's head.
    return "|" in line and "---" in line and not line.strip("|:- \t")


class RichMessages:
    """Whether answers may be rich messages."""

    def __init__(self, allowed: bool) -> None:
        self._allowed = allowed

    def suit(self, markdown: str) -> bool:
        """Tell whether this answer is to be one."""
        return self._allowed and wants_layout(markdown)

    def refused(self, error: RichRefused) -> None:
        """Have no more of them in this process where the Bot API does not know them."""
        self._allowed = not error.unknown
        log.warning("telegram: a rich message was refused, the answer is plain: %s", error)
