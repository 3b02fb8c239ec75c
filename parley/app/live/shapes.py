"""What a recording says about a platform: fields and types of answers and events, codes, and order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from parley.app.live.clean import decoded_json
from parley.app.live.recording import Recording
from parley.core.model.types import Json, JsonObject

_CODES = ("error", "error_code", "errcode", "errorcode", "code")
"""Where a response says what was wrong, by platform."""
_EVENT_WORDS = (
    ("type",),
    ("payload", "type"),
    ("payload", "event", "type"),
    ("payload", "event", "subtype"),
    ("event", "type"),
    ("event", "subtype"),
    ("headers", "type"),
    ("payload", "header", "event_type"),
    ("payload", "event", "message", "message_type"),
    ("headers", "topic"),
    ("data", "msgtype"),
)
"""Where events say what they are, by platform."""
_OF_THE_CONNECTION = frozenset({"hello", "ping", "pong", "disconnect"})
"""They come at any time, whatever else is sent."""
_BY_A_BOT = ("payload", "event", "bot_id")
"""Slack tells an app of its own messages too, when it pleases."""
LEFT_OUT = "left out"
_WEBSOCKET = 101
_MOST_DEPTH, _LONGEST_NAME, _LONGEST_ENDPOINT = 24, 80, 200
_MOST_FIELDS, _MOST_KINDS = 2000, 200
"""Of an answer or event, and of answers and events: a recording that somebody made up ends there."""

Fields: TypeAlias = "defaultdict[str, set[str]]"


@dataclass(frozen=True, slots=True)
class PlatformShape:
    """`outcomes` of an endpoint are its statuses and codes, with the step in which each came first.

    `answers` have the types at each path in the answers of an endpoint, `events` in those of a kind. `orders`
    has the kinds of events of each step, as they came, `results` what came of each.
    """

    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: dict[str, Fields] = field(default_factory=dict)
    events: dict[str, Fields] = field(default_factory=dict)
    orders: dict[str, list[str]] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)


def read_shape(recording: Recording) -> PlatformShape:
    """Return what a recording says about its platform."""
    found, step = PlatformShape(), "connecting"
    for record in recording.records:
        if record["kind"] == "step":
            step = str(record["step"])
        for event in _events(record):
            kind = _event_kind(event)
            _add_fields(_about(found.events, kind), event, "")
            if not _OF_THE_CONNECTION.intersection(kind.split()) and not _at(event, _BY_A_BOT):
                found.orders.setdefault(step, []).append(kind)
        if record["kind"] == "result":
            found.results[str(record["step"])] = _result(record)
        if record["kind"] == "call" and record.get("status") != _WEBSOCKET:
            _add_call(found, record, step)
    return found


def _result(record: JsonObject) -> str:
    came, wrong = record.get("came"), record.get("wrong")
    if not isinstance(came, int) or came < 1:
        return LEFT_OUT
    errors = {str(each)[:_LONGEST_NAME] for each in wrong} if isinstance(wrong, list) else set()
    return f"answered with {', '.join(sorted(errors))}" if errors else "answered"


def _add_call(found: PlatformShape, record: JsonObject, step: str) -> None:
    endpoint = f"{record.get('method')} {record['path']}"[:_LONGEST_ENDPOINT]
    response = record.get("response")
    outcome = _outcome(record.get("status"), response)
    found.outcomes.setdefault(endpoint, {}).setdefault(outcome, step)
    about = endpoint if outcome == _FINE else f"{endpoint} ({outcome})"
    updates = set(map(id, _updates(response)))
    kept = response
    if isinstance(response, dict) and updates:
        kept = {name: [] if name == "result" else each for name, each in response.items()}
    _add_fields(_about(found.answers, about), kept, "")


def _about(known: dict[str, Fields], what: str) -> Fields:
    return known.setdefault(what if len(known) < _MOST_KINDS or what in known else "others", defaultdict(set))


_FINE = "success"


def _outcome(status: Json, response: Json) -> str:
    codes: Sequence[Json] = ()
    if isinstance(response, dict):
        codes = [response[name] for name in _CODES if response.get(name) not in (None, "", 0, "0", "ok")]
    refused = isinstance(response, dict) and (response.get("ok") is False or response.get("success") is False)
    if isinstance(status, int) and status < 300 and not codes and not refused:
        return _FINE
    return " ".join(str(each)[:_LONGEST_NAME] for each in (status, *codes))


def _events(record: JsonObject) -> Iterator[dict[str, Json]]:
    """Yield what the platform told of its own accord."""
    told = record.get("data")
    if record["kind"] == "post" or (record["kind"] == "frame" and record.get("inward") is True):
        if isinstance(told, dict):
            yield told
    elif record["kind"] == "call":
        yield from _updates(record.get("response"))


def _updates(response: Json) -> Iterator[dict[str, Json]]:
    """Yield the updates that a response of Telegram's has."""
    listed = response.get("result") if isinstance(response, dict) else None
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and "update_id" in each:
            yield each


def _event_kind(event: dict[str, Json]) -> str:
    if "update_id" in event:
        return " ".join(sorted(set(event) - {"update_id"}))[:_LONGEST_ENDPOINT]
    words = [word for path in _EVENT_WORDS if isinstance(word := _at(event, path), str)]
    return " ".join(dict.fromkeys(words))[:_LONGEST_ENDPOINT] or "frame"


def _at(value: Json, path: Sequence[str]) -> Json:
    for name in path:
        if isinstance(value, str):
            value = decoded_json(value)
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _add_fields(fields: Fields, value: Json, path: str, depth: int = 0) -> None:
    """Add the types of a value and of all in it, those in texts that are JSON too."""
    if depth > _MOST_DEPTH or len(fields) >= _MOST_FIELDS:
        return
    if isinstance(value, str) and value[:1] in ("{", "[") and (inner := decoded_json(value)) is not None:
        fields[path].add("text with JSON")
        value, path = inner, f"{path}<json>"
    fields[path].add(_type(value))
    if isinstance(value, dict):
        for name, each in value.items():
            _add_fields(
                fields, each, f"{path}.{'~' if name.startswith('~') else name[:_LONGEST_NAME]}", depth + 1
            )
    elif isinstance(value, list):
        for each in value:
            _add_fields(fields, each, f"{path}[]", depth + 1)


def _type(value: Json) -> str:
    if isinstance(value, bool):
        return "true or false"
    if value is None:
        return "null"
    if isinstance(value, int | float):
        return "number"
    return {str: "text", list: "list"}.get(type(value), "object")
