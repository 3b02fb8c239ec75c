"""The manager section of config.yaml: how much is done at once."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

from parley.app.settings.machine_limits import turns_of_this_machine
from parley.channels.kit.config import Section

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(|B|KB|MB|GB)", re.IGNORECASE)
_UNITS = {"": 1, "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000}


def parse_size(value: object) -> object:
    """Return a size with a unit as bytes; what is no text stays as it is."""
    if not isinstance(value, str):
        return value
    match = _SIZE.fullmatch(value.strip())
    if match is None:
        raise ValueError('must be a size, such as "20 MB"')
    return int(float(match[1]) * _UNITS[match[2].upper()])


class ManagerSection(Section):
    """How much is done at once. Durations are seconds, `max_file` is bytes."""

    max_turns: int = Field(default_factory=turns_of_this_machine, ge=1, le=100_000)
    queue_limit: int = Field(default=100, ge=1, le=10_000)
    shutdown_grace: float = Field(default=20.0, ge=0, le=600)
    backlog_rate: float = Field(default=50.0, ge=0, le=10_000)
    max_message_age: float = Field(default=3600.0, ge=0)
    max_file: Annotated[int, BeforeValidator(parse_size), Field(ge=1_000)] = 20_000_000
