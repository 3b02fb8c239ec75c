"""The last lines of the log, kept in memory without anything that was filled into them."""

from __future__ import annotations

import logging
import sys
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path

import parley.version
from parley.core.model.types import Json

_OURS = "parley"
_CODE = str(Path(parley.version.__file__).parent)
_MOST = 1000
_UNKNOWN_ERROR = "Exception"
_KNOWN_ERRORS = sys.stdlib_module_names | {_OURS, "aiohttp", "httpx", "langgraph", "psycopg", "pydantic"}


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
        """Keep a record's constant parts; of an exception its class, where that is not somebody's own."""
        if record.name.partition(".")[0] != _OURS or not record.pathname.startswith(_CODE):
            return
        if isinstance(record.msg, str):
            error = _name_error(record.exc_info[0] if record.exc_info else None)
            self._traces.append(LogTrace(record.created, record.levelname, record.name, record.msg, error))

    def lines(self) -> list[Json]:
        """Return what is kept as JSON, oldest first."""
        return [asdict(trace) for trace in tuple(self._traces)]


def _name_error(kind: type[BaseException] | None) -> str:
    """Return the name of a class of errors; those of graphs and plugins are words of their authors."""
    if kind is None:
        return ""
    return kind.__name__ if kind.__module__.partition(".")[0] in _KNOWN_ERRORS else _UNKNOWN_ERROR


def remembered_lines() -> list[Json]:
    """Return what this process keeps, since its log was configured."""
    handlers = logging.getLogger().handlers
    return [line for each in handlers if isinstance(each, LogMemory) for line in each.lines()]
