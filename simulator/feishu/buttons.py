"""Buttons of a card."""

from __future__ import annotations

from simulator.feishu.model import Json, JsonObject


def buttons(value: Json) -> list[JsonObject]:
    """Every button in a card, in order."""
    if isinstance(value, list):
        return [button for entry in value for button in buttons(entry)]
    if not isinstance(value, dict):
        return []
    own = [value] if value.get("tag") == "button" else []
    return own + [button for inner in value.values() for button in buttons(inner)]


def label(button: JsonObject) -> str:
    """What stands on a button."""
    text = button.get("text")
    return str(text.get("content", "")) if isinstance(text, dict) else ""


def value_of(button: JsonObject) -> Json:
    """What the app is told when it is pressed."""
    behaviors = button.get("behaviors")
    for each in behaviors if isinstance(behaviors, list) else []:
        if isinstance(each, dict) and each.get("type") == "callback":
            return each.get("value")
    return button.get("value")
