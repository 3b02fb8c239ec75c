"""The log: one line for each record on standard error, without secrets."""

from __future__ import annotations

import logging
import re
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from urllib.parse import quote, unquote

from pydantic import BaseModel

from parley.app.process.json_log import JsonFormatter
from parley.app.process.log_memory import LogMemory
from parley.app.process.recent_lines import RecentLinesHandler
from parley.app.process.terminal import CONTROLS, escape_table
from parley.core.ports.channel import CURRENT_CHANNEL
from parley.core.ports.telemetry import current_turn

_SECRET_FIELD = re.compile(r"token$|secret|password|api_key|headers", re.IGNORECASE)
_USER = re.compile(r"[^/?#:]*+:")
_PASSWORD = re.compile(r"[?&](?:ssl)?password=([^&\s]+)")
# What stands between the parts of a header's value: `Bearer X`, `key=X, user="Y"`.
_BETWEEN = re.compile(r"[\s,;=\"']+")
_SCHEMES = frozenset({"apikey", "bearer", "digest"})
# Shorter values would take ordinary words out of the log.
_SHORTEST_SECRET = 6
# These tell of every request, or repeat what people wrote.
_CHATTY = ("aiosqlite", "asyncio", "httpcore", "httpx", "uvicorn")


# A line of the log is one line for every reader, in the order in which it was written.
_SHOWN = CONTROLS | escape_table(0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0xFEFF)


def mask_pattern(secrets: frozenset[str]) -> re.Pattern[str] | None:
    """Return what finds the secrets in a text, the longest first; None where there are none."""
    longest_first = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if secrets else None


def secret_hider(section: BaseModel) -> Callable[[str], str]:
    """Return what writes `***` for every secret of these settings in a text."""
    pattern = mask_pattern(find_secrets(section))
    return lambda text: pattern.sub("***", text) if pattern else text


class SecretlessFormatter(logging.Formatter):
    """One line a record, without control characters; a traceback follows, indented. Secrets are `***`."""

    def __init__(self, secrets: frozenset[str]) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")
        self._secrets = mask_pattern(secrets)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        line = super().formatMessage(record)
        return (line + _of_channel(record) + _of_turn(line)).translate(_SHOWN)

    def formatException(self, ei: logging._SysExcInfoType) -> str:  # noqa: N802 - logging's own name
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's own name
        return _indented(stack_info)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return self._secrets.sub("***", text) if self._secrets else text


def _of_channel(record: logging.LogRecord) -> str:
    """Return which of several channels of a platform it is about, where that is not the platform's name."""
    name, _, rest = CURRENT_CHANNEL.get(), *record.name.partition("parley.channels.")[1:]
    return f" [{name}]" if name and rest and rest.partition(".")[0] != name else ""


def _of_turn(line: str) -> str:
    """Return which turn it is about, where the line does not say so itself."""
    turn = current_turn().id
    return f" [turn {turn}]" if turn and turn not in line else ""


def _indented(lines: str) -> str:
    return "\n".join(f"    {line.translate(_SHOWN)}" for line in lines.split("\n"))


def find_secrets(section: BaseModel) -> frozenset[str]:
    """Yield the values of fields that are named like secrets, and addresses with passwords, at any depth.

    Of a value of several parts, as `Bearer X` in a header, each part is one too; of `Basic X` the password.
    """
    return frozenset(value for value in _values(section, secret=False) if len(value) >= _SHORTEST_SECRET)


def _values(value: object, secret: bool) -> Iterator[str]:
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _values(getattr(value, name), secret or bool(_SECRET_FIELD.search(name)))
    elif isinstance(value, dict):
        for name, entry in value.items():
            yield from _values(entry, secret or bool(_SECRET_FIELD.search(str(name))))
    elif isinstance(value, str) and secret:
        yield value
        yield from (part for part in _BETWEEN.split(value) if part.lower() not in _SCHEMES)
        yield from _basic(value)
    elif isinstance(value, str) and (passwords := list(_passwords(value))):
        yield value
        yield from (form for password in passwords for form in (password, unquote(password)))


def _basic(value: str) -> Iterator[str]:
    """Yield the password of a header for basic authentication, as it is and as addresses have it."""
    scheme, _, encoded = value.partition(" ")
    if scheme.lower() == "basic":
        with suppress(ValueError):
            _, _, password = b64decode(encoded.strip()).decode().partition(":")
            yield from (password, quote(password, safe=""))


def _passwords(value: str) -> Iterator[str]:
    """Yield the passwords in an address, before its host and among its parameters."""
    for word in value.split():
        _, _, rest = word.partition("://")
        before, at, _ = rest.rpartition("@")
        if at and (user := _USER.match(before)):
            yield before[user.end() :]
        yield from _PASSWORD.findall(word)


def configure_logging(level: str, secrets: frozenset[str], form: str = "text") -> None:
    """Send the log to standard error from `level` (debug, info, warning, error) on, as text or as JSON.

    Libraries are never heard below info: their debug lines hold what people wrote.
    """
    logging.basicConfig(handlers=[RecentLinesHandler(sys.stderr), LogMemory()], force=True)
    hide_secrets(secrets)
    change_logging(level, form)


def hide_secrets(secrets: frozenset[str]) -> None:
    """Hide these from now on, too; those of before stay hidden."""
    for handler in _own_handlers():
        handler.secrets |= secrets
        _format(handler, "json" if isinstance(handler.formatter, JsonFormatter) else "text")


def change_logging(level: str, form: str) -> None:
    """Change from which level on the log is written, and its form."""
    for handler in _own_handlers():
        _format(handler, form)
    least: int = logging.getLevelNamesMapping()[level.upper()]
    logging.getLogger().setLevel(max(least, logging.INFO))
    logging.getLogger("parley").setLevel(least)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(least, logging.WARNING))


def _own_handlers() -> list[RecentLinesHandler]:
    return [each for each in logging.getLogger().handlers if isinstance(each, RecentLinesHandler)]


def _format(handler: RecentLinesHandler, form: str) -> None:
    masked = JsonFormatter(mask_pattern(handler.secrets)) if form == "json" else None
    handler.setFormatter(masked or SecretlessFormatter(handler.secrets))
