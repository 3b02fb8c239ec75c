"""The newest lines of the log, kept in memory for whoever asks this process for them."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from typing import TextIO

MOST_LINES = 2_000
LONGEST_LINE = 4_000


class RecentLinesHandler(logging.StreamHandler[TextIO]):
    """Writes each line to a stream, and keeps the newest as they were written: without secrets."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.lines: deque[str] = deque(maxlen=MOST_LINES)
        self.secrets: frozenset[str] = frozenset()

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        self.lines.append(line[:LONGEST_LINE])
        return line


def recent_lines(limit: int = MOST_LINES, words: str = "") -> Sequence[str]:
    """Return the newest lines of this process that have these words, the oldest of them first."""
    kept = [
        line
        for handler in logging.getLogger().handlers
        if isinstance(handler, RecentLinesHandler)
        for line in tuple(handler.lines)
        if words in line
    ]
    return kept[-limit:] if limit > 0 else []
