"""The vendors' own examples of events, and what a mistake, a bug or a new version may make of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object of a vendor's, or what is left of one."""

_UNIT = Path(__file__).parents[1] / "unit" / "channels"
CHANNELS = ("slack", "telegram", "feishu", "dingtalk")
VALUES: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1, 2, 10**30, -1.5, 1e308),
    *(
        "",
        " ",
        "x",
        "\0",
        "\0",
        "\ud83d",
        "\ud83d",
        "\ud83d",
        "\u202e",
        "a" * 5000,
        "@_user_1",
        "<@U1|a>",
        "1",
        "private",
        "group",
    ),
    *([], [None], [[]], ["x"], {}, {"a": {"b": []}}, {"id": 1}, {"text": None}, {"type": []}),
)
_NAMES = ("id", "text", "type", "files", "bot_id", "subtype", "thread_ts", "message", "content", "extra")


def examples(channel: str) -> list[JsonObject]:
    """As the vendor printed them, and then those that it printed in parts, or before the platform changed."""
    found = json.loads((_UNIT / channel / "samples" / "events.json").read_text("utf-8"))
    printed = found["examples"]
    if channel == "feishu":
        return [*printed, *(_filled(printed[0], each) for each in found["contents"])]
    if channel == "telegram":
        return [*printed, *cast("list[JsonObject]", _since_then(printed))]
    return cast("list[JsonObject]", printed)


def mutated(example: JsonObject, chance: random.Random) -> JsonObject:
    """The example with one to three values replaced, taken away, given, or moved, at any depth."""
    event = copy.deepcopy(example)
    for _ in range(chance.randint(1, 3)):
        # What is to be changed may be gone with an earlier change.
        with suppress(LookupError, TypeError):
            _change(event, chance)
    return event


def _change(event: JsonObject, chance: random.Random) -> None:
    holder, key = _place(event, chance)
    value = holder[key]
    if key == "content" and isinstance(value, str) and value.startswith("{") and chance.random() < 0.8:
        # Feishu's contents are JSON in a text.
        inner = json.loads(value)
        _change(inner, chance)
        holder[key] = json.dumps(inner)
        return
    match chance.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[chance.choice(_NAMES)] = copy.deepcopy(chance.choice(VALUES))
        case 2:
            other, there = _place(event, chance)
            holder[key], other[there] = copy.deepcopy(other[there]), copy.deepcopy(value)
        case _:
            holder[key] = copy.deepcopy(chance.choice(VALUES))


def _place(event: object, chance: random.Random) -> tuple[Any, Any]:
    """Any place in a value, each as likely as the others. Raises LookupError where there is none."""
    return chance.choice(list(_places(event)))


def _places(value) -> Iterator[tuple[Any, Any]]:
    keys: Iterable[Any] = ()
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        yield from _places(value[key])


def _filled(event: JsonObject, content: Mapping[str, object]) -> JsonObject:
    """Feishu prints the contents of messages apart from the event: the event with one of them."""
    filled = copy.deepcopy(event)
    message = filled["event"]["message"]
    message["message_type"] = content["message_type"]
    message["content"] = json.dumps(content["content"], ensure_ascii=False)
    return filled


def _since_then(update: object) -> object:
    """Telegram's examples are of 2015: `is_bot` and `file_unique_id` have come to every update since."""
    if isinstance(update, list):
        return [_since_then(each) for each in update]
    if not isinstance(update, dict):
        return update
    found = {key: _since_then(value) for key, value in update.items()}
    if "first_name" in found:
        found["is_bot"] = False
    if "file_id" in found:
        found["file_unique_id"] = "AgADbXXX"
    return found
