"""The log: one line for each record on standard error, without secrets."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator
from urllib.parse import unquote

from pydantic import BaseModel

_SECRET_FIELD = re.compile(r"token$|secret|password|api_key|headers", re.IGNORECASE)
_CREDENTIALS = re.compile(r"://[^/?#\s:]*:([^\s]*)@|[?&](?:ssl)?password=([^&\s]+)")
# Shorter values would take ordinary words out of the log.
_SHORTEST_SECRET = 6
_OURS = ("agent", "app", "bridge", "channels", "console", "parley", "store")
# These tell of every request, or repeat what people wrote.
_CHATTY = ("aiosqlite", "asyncio", "httpcore", "httpx", "uvicorn")


class SecretlessFormatter(logging.Formatter):
    """One line a record; a traceback follows, indented. Every secret is shown as `***`."""

    def __init__(self, secrets: frozenset[str]) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")
        longest_first = sorted(secrets, key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, longest_first))) if secrets else None

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        return super().formatMessage(record).replace("\r", "\\r").replace("\n", "\\n")

    def formatException(self, ei: logging._SysExcInfoType) -> str:  # noqa: N802 - logging's own name
        return "\n".join(f"    {line}" for line in super().formatException(ei).splitlines())

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return self._secrets.sub("***", text) if self._secrets else text


def secrets_in(section: BaseModel) -> frozenset[str]:
    """The values of fields that are named like secrets, and addresses with passwords, at any depth."""
    return frozenset(value for value in _values(section, secret=False) if len(value) >= _SHORTEST_SECRET)


def _values(value: object, secret: bool) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _values(getattr(value, name), secret or bool(_SECRET_FIELD.search(name)))
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _values(entry, secret)
    elif isinstance(value, str) and secret:
        yield value
    elif isinstance(value, str) and (found := _CREDENTIALS.search(value)):
        password = found[1] or found[2] or ""
        yield from (value, password, unquote(password))


def set_up(level: str, secrets: frozenset[str]) -> None:
    """Send the log to standard error from `level` (debug, info, warning, error) on.

    Libraries are never heard below info: their debug lines hold what people wrote.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(SecretlessFormatter(secrets))
    least: int = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(least, logging.INFO), handlers=[handler], force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(least)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(least, logging.WARNING))
