"""Buttons and forms of a card, as somebody sees and uses them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from parley.simulator.feishu.errors import bad_card
from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object

MOST_LABEL = 100
MOST_INPUT = 1000
MOST_ELEMENTS = 200


@dataclass(frozen=True)
class FeishuCardButton:
    """A button, and the form that it is in (none: an empty one)."""

    element: JsonObject
    form: JsonObject = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return what stands on it."""
        return str(as_object(self.element.get("text")).get("content", ""))

    @property
    def value(self) -> Json:
        """Return what the app is told when it is pressed."""
        for each in map(as_object, as_list(self.element.get("behaviors"))):
            if each.get("type") == "callback":
                return each.get("value")
        return self.element.get("value")

    def action(self, written: Mapping[str, str]) -> JsonObject:
        """Return the event's account of a press, with what was written into the form's inputs.

        Raises ValueError where the person's client would not send it.
        """
        found: JsonObject = {"value": self.value, "tag": "button", "timezone": "Asia/Shanghai"}
        if self.form:
            found |= {"name": self.element.get("name"), "form_value": _filled(self.form, written)}
        return found


def buttons(card: JsonObject) -> list[FeishuCardButton]:
    """Return every button in a card, in order."""
    return list(_buttons(card, {}))


def check_card_buttons(card: JsonObject) -> None:
    """Raise FeishuErrorResponse for buttons and forms that the platform refuses in a card of the new kind."""
    elements = list(_tagged(card.get("body")))
    if len(elements) > MOST_ELEMENTS:
        raise bad_card("ErrCode: 11310; ErrMsg: element exceeds the limit")
    names = [str(each["name"]) for each in elements if "name" in each]
    if len(names) != len(set(names)):
        raise bad_card("ErrCode: 11310; ErrMsg: name is not unique")
    if any(each["tag"] == "action" for each in elements):
        raise bad_card("ErrCode: 200861; ErrMsg: cards of schema V2 no longer support tag: action")
    for button in buttons(card):
        if not 0 < len(button.label) <= MOST_LABEL:
            raise bad_card("ErrCode: 11310; ErrMsg: button text length")
        if "behaviors" in button.element and not isinstance(button.value, dict):
            raise bad_card("ErrCode: 11310; ErrMsg: callback value is no object")
    for form in (each for each in elements if each["tag"] == "form"):
        _check_form(card, form)


def _check_form(card: JsonObject, form: JsonObject) -> None:
    body = card.get("body")
    inner = list(_tagged(form.get("elements")))
    root = body.get("elements") if isinstance(body, dict) else None
    if not isinstance(root, list) or form not in root or not form.get("name"):
        raise bad_card("ErrCode: 11310; ErrMsg: form must have a name and stand at the root")
    if any(each["tag"] in ("input", "button") and not each.get("name") for each in inner):
        raise bad_card("ErrCode: 11310; ErrMsg: an interactive component in a form has no name")
    if not any(each.get("form_action_type") == "submit" for each in inner):
        raise bad_card("ErrCode: 11310; ErrMsg: form has no submit button")
    for each in inner:
        most = each.get("max_length", MOST_INPUT)
        if each["tag"] == "input" and not (isinstance(most, int) and 1 <= most <= MOST_INPUT):
            raise bad_card("ErrCode: 11310; ErrMsg: max_length of input")


def _filled(form: JsonObject, written: Mapping[str, str]) -> JsonObject:
    values: JsonObject = {}
    for each in _tagged(form.get("elements")):
        if each["tag"] != "input":
            continue
        name, most = str(each.get("name")), each.get("max_length", MOST_INPUT)
        value = written.get(name, str(each.get("default_value", "")))
        if each.get("required") is True and not value:
            raise ValueError(f"{name} must not be empty")
        if isinstance(most, int) and len(value) > most:
            raise ValueError(f"{name} has {len(value)} characters, at most {most}")
        values[name] = value
    return values


def _buttons(value: Json, form: JsonObject) -> Iterator[FeishuCardButton]:
    if isinstance(value, list):
        for entry in value:
            yield from _buttons(entry, form)
    elif isinstance(value, dict):
        if value.get("tag") == "button":
            yield FeishuCardButton(value, form)
        for inner in value.values():
            yield from _buttons(inner, value if value.get("tag") == "form" else form)


def _tagged(value: Json) -> Iterator[JsonObject]:
    """Yield everything with a tag, at any depth."""
    if isinstance(value, list):
        for entry in value:
            yield from _tagged(entry)
    elif isinstance(value, dict):
        if isinstance(value.get("tag"), str):
            yield value
        for inner in value.values():
            yield from _tagged(inner)
