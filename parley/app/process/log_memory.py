"""The last lines of the log, kept in memory without anything that was filled into them."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import asdict, dataclass

from parley.core.model.types import Json

_OURS = "parley"
_MOST = 1000


@dataclass(frozen=True, slots=True)
class LogTrace:
    """A record without its values: `words` are the constant that stands in our code."""

    at: float
    level: str
    logger: str
    words: str
    error: str


class LogMemory(logging.Handler):
    """Keeps the newest records of our own code; those of libraries may have anything in their words."""

    def __init__(self, most: int = _MOST) -> None:
        super().__init__(logging.INFO)
        self._traces: deque[LogTrace] = deque(maxlen=most)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record's constant parts; of an exception its class."""
        if record.name.partition(".")[0] != _OURS or not isinstance(record.msg, str):
            return
        kind = record.exc_info[0] if record.exc_info else None
        error = kind.__name__ if kind else ""
        self._traces.append(LogTrace(record.created, record.levelname, record.name, record.msg, error))

    def lines(self) -> list[Json]:
        """Return what is kept as JSON, oldest first."""
        return [asdict(trace) for trace in tuple(self._traces)]


def remembered_lines() -> list[Json]:
    """Return what this process keeps, since its log was configured."""
    handlers = logging.getLogger().handlers
    return [line for each in handlers if isinstance(each, LogMemory) for line in each.lines()]
