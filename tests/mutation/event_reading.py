"""What becomes of an event: the channels' own reading of it, as far as the inbox."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from enum import StrEnum

from parley.channels.dingtalk.inbound.inbound_queue import parse_or_skip
from parley.channels.dingtalk.inbound.message_parser import ParseOptions
from parley.channels.feishu.inbound.event_handler import parse_or_skip as feishu_heard
from parley.channels.slack.inbound.event_parser import event_in, parse_event, user_ids_in
from parley.channels.slack.users import SlackBotIdentity as SlackMe
from parley.channels.slack.users import SlackUser
from parley.channels.telegram.inbound.update_handler import UnreadableUpdate
from parley.channels.telegram.inbound.update_handler import parse_or_skip as telegram_heard
from parley.channels.telegram.inbound.update_parser import TelegramBotIdentity as TelegramMe
from parley.core.model.codec import encode
from tests.mutation.vendor_examples import JsonObject

TEAMS = ("T123ABC456", "T061EG9R6", "T111")
_SLACK = {team: SlackMe("U0LAN0Z89", "B0BOT", team) for team in TEAMS}
_TELEGRAM = TelegramMe(4711, "parley_bot")
_OURS = "ou_ours"
# What the Slack channel takes for a payload that cannot be read.
_RUBBISH = (TypeError, ValueError, LookupError, AttributeError, OverflowError, RecursionError)


class Outcome(StrEnum):
    """What became of an event."""

    HEARD = "heard"
    """It is a message (or a group that moved), sound enough to be stored."""
    LEFT = "left alone"
    """It is nothing for us."""
    SKIPPED = "skipped"
    """It cannot be read: the log says so, and listening goes on."""


def outcome(channel: str, event: JsonObject) -> Outcome:
    """Read an event. Raises whatever it should never raise, and AssertionError for what is not sound."""
    with _Warnings() as warnings:
        try:
            found = _READERS[channel](event)
        except _RUBBISH:
            if channel != "slack":
                raise
            return Outcome.SKIPPED
    if found is not None:
        # What is accepted is written to the disk as UTF-8, which lone surrogates are not, nor NUL in SQL.
        assert b"\\u0000" not in encode(found).encode()
        return Outcome.HEARD
    if not warnings.lines:
        return Outcome.LEFT
    (line,) = warnings.lines
    assert channel in line
    assert "skipped" in line
    assert len(line) < 1000
    return Outcome.SKIPPED


def _slack(body: JsonObject) -> object:
    # The examples are of three workspaces; we are at home where they are.
    team = body.get("team_id")
    me = _SLACK[team if team in TEAMS else TEAMS[0]]
    event = event_in(body, me)
    return (
        None
        if event is None
        else parse_event(event, me, {each: SlackUser("P") for each in user_ids_in(event)})
    )


def _telegram(update: JsonObject) -> object:
    found = telegram_heard(update, _TELEGRAM, 1.0)
    return None if isinstance(found, UnreadableUpdate) else found


_READERS: Mapping[str, Callable[[JsonObject], object]] = {
    "slack": _slack,
    "telegram": _telegram,
    "feishu": lambda event: feishu_heard(json.dumps(event).encode(), _OURS),
    "dingtalk": lambda data: parse_or_skip(data, ParseOptions()),
}


class _Warnings(logging.Handler):
    """Catches what the channels warn of, and keeps it from the log of the tests."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())

    def __enter__(self) -> _Warnings:
        self._logger = logging.getLogger("parley.channels")
        self._logger.addHandler(self)
        self._logger.propagate = False
        return self

    def __exit__(self, *exc: object) -> None:
        self._logger.removeHandler(self)
        self._logger.propagate = True
