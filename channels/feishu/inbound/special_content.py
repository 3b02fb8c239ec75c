"""What people send instead of words and files, as words: polls, tasks, events, meetings, cards. Pure.

Feishu puts it into the message's `content`; what it keeps to itself is named in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

from parley.core.model.types import Json, JsonObject

MOST_LINES = 60
_MOST_LINE = 500
_MILLISECONDS = re.compile(r"\d{12,14}\Z", re.ASCII)
_KIND = re.compile(r"[a-z][a-z_]{0,40}\Z")
_SYSTEM = "system"
_Told: TypeAlias = Callable[[JsonObject], str]


def special_text(kind: str, content: JsonObject) -> str:
    """Return such a message as text, in words where nobody can read it; "" for what no person writes."""
    told = _TOLD.get(kind)
    if told is not None:
        return told(content)
    if kind == _SYSTEM or not _KIND.match(kind):
        return ""
    said = _line(content, "text")
    return said or f"[{kind}: a kind of message that Feishu does not let a bot read]"


def unread_text(kind: str) -> str:
    """Return what to say of a message that a person wrote, and in which nothing can be read."""
    return _UNREAD.get(kind, "")


def _poll(content: JsonObject) -> str:
    return _block("poll", _line(content, "topic"), *(f"- {each}" for each in _lines(content.get("options"))))


def _task(content: JsonObject) -> str:
    summary = content.get("summary")
    summary = summary if isinstance(summary, dict) else {}
    rows = summary.get("content")
    words = ["".join(_spans(row)) for row in rows] if isinstance(rows, list) else []
    due = _time(content, "due_time")
    return _block("task", _line(summary, "title"), *words, f"due {due}" if due else "")


def _event(content: JsonObject) -> str:
    start, end = _time(content, "start_time"), _time(content, "end_time")
    return _block(
        "calendar event", _line(content, "summary"), " to ".join(each for each in (start, end) if each)
    )


def _meeting(content: JsonObject) -> str:
    number, start = _line(content, "meet_number"), _time(content, "start_time")
    return _block("video meeting", _line(content, "topic"), start, f"number {number}" if number else "")


def _place(content: JsonObject) -> str:
    parts = (_line(content, key) for key in ("name", "latitude", "longitude"))
    return "📍 " + ", ".join(part for part in parts if part)


def _named(name: str, key: str) -> _Told:
    return lambda content: _block(name, _line(content, key))


def _block(name: str, *lines: str) -> str:
    """Return what it is, and its lines; in brackets alone where there are none."""
    said = [line for line in lines if line.strip()][:MOST_LINES]
    return f"[{name}] " + "\n".join(said) if said else f"[{name}]"


def _spans(row: Json) -> list[str]:
    return [_line(each, "text") for each in row if isinstance(each, dict)] if isinstance(row, list) else []


def _lines(value: Json) -> list[str]:
    found = value if isinstance(value, list) else []
    return [each[:_MOST_LINE] for each in found[:MOST_LINES] if isinstance(each, str)]


def _line(content: JsonObject, key: str) -> str:
    value = content.get(key)
    return value[:_MOST_LINE] if isinstance(value, str) else ""


def _time(content: JsonObject, key: str) -> str:
    text = str(content.get(key) or "")[:20]
    if not _MILLISECONDS.match(text):
        return ""
    return f"{datetime.fromtimestamp(int(text) / 1000, UTC):%Y-%m-%d %H:%M} UTC"


_TOLD: dict[str, _Told] = {
    "vote": _poll,
    "todo": _task,
    "share_calendar_event": _event,
    "calendar": _event,
    "general_calendar": _event,
    "video_chat": _meeting,
    "location": _place,
    "share_chat": _named("group card", "chat_id"),
    "share_user": _named("contact card", "user_id"),
    "hongbao": _named("red packet", "text"),
    "folder": _named("folder, which Feishu does not hand out", "file_name"),
    "sticker": lambda content: "[sticker]",
    "merge_forward": lambda content: "[forwarded conversation]",
}
_UNREAD = {
    "interactive": "[card without words]",
    "post": "[rich text without words]",
    "image": "[picture that cannot be opened]",
    "file": "[file that cannot be opened]",
    "audio": "[voice message that cannot be opened]",
    "media": "[video that cannot be opened]",
}
