"""The log as JSON: one object a line, for programs that collect logs."""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime

from parley.core.ports.channel import CURRENT_CHANNEL
from parley.core.ports.telemetry import current_turn


class JsonFormatter(logging.Formatter):
    """Writes `time`, `level`, `logger` and `message`; where they are known `turn` and `channel`; `exception`;
    and what a record has in its `fields`. What `secrets` finds in a value is `***`.
    """

    def __init__(self, secrets: re.Pattern[str] | None) -> None:
        super().__init__()
        self._secrets = secrets

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if turn := current_turn().id:
            line["turn"] = turn
        if channel := CURRENT_CHANNEL.get():
            line["channel"] = channel
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        # Masked before it is escaped; and in ASCII, so that no reader finds the end of a line within it.
        return json.dumps({name: self._masked(value) for name, value in line.items()}, default=str)

    def _masked(self, value: object) -> object:
        return self._secrets.sub("***", value) if self._secrets and isinstance(value, str) else value
