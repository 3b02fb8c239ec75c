"""Cards with buttons: what is on them, who presses, and what the press's answer changes."""

from __future__ import annotations

import json
from dataclasses import dataclass

from parley.simulator.dingtalk.card_templates import DONE, GROWING, PENDING
from parley.simulator.dingtalk.errors import bad_request
from parley.simulator.dingtalk.model import DingTalkCard, DingTalkCardPress, DingTalkPush
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_object

_COLORS = frozenset({"blue", "gray", "red", "green"})
_REQUEST = "sendCardRequest"


@dataclass(frozen=True)
class DingTalkCardButton:
    """A button, and what the app is told of its press."""

    label: str
    action: str
    params: JsonObject


def buttons(card: DingTalkCard) -> tuple[DingTalkCardButton, ...]:
    """Return the buttons on a card, in order."""
    found = read_buttons(card)
    return found if _state(card) in card.template.with_buttons else ()


def read_buttons(card: DingTalkCard) -> tuple[DingTalkCardButton, ...]:
    """Return a card's buttons, shown or not. Raises DingTalkErrorResponse for what are none."""
    value = card.params.get(card.template.buttons)
    return () if value is None else tuple(_buttons(value))


def _state(card: DingTalkCard) -> str:
    if card.finished:
        return DONE
    return GROWING if card.guids else PENDING


def find_button(card: DingTalkCard, label: str) -> DingTalkCardButton:
    """Return the button with this label, its action named as the platform does: with its place in the group.

    Raises LookupError where there is none.
    """
    for place, button in enumerate(buttons(card)):
        if button.label == label:
            return DingTalkCardButton(label, f"{button.action}{place}", button.params)
    raise LookupError(f"no button {label!r}")


def apply_card_response(world: DingTalkWorld, push: DingTalkPush) -> None:
    """Show whoever pressed what the robot's answer carries: nobody else sees that, public data or not."""
    card = None if push.press is None else world.cards.get(push.press.track)
    if push.press is None or card is None or push.code != 200:
        return
    given = as_object(_parsed(push.answer).get("response"))
    options = as_object(given.get("cardUpdateOptions"))
    own = card.private.setdefault(push.press.by, {})
    for part, option in (("cardData", "updateCardDataByKey"), ("userPrivateData", "updatePrivateDataByKey")):
        values = as_object(as_object(given.get(part)).get("cardParamMap"))
        if values and options.get(option) is not True:
            # Whatever is not named is emptied then.
            own.clear()
        own |= {name: str(value) for name, value in values.items()}
        for name in card.template.private & values.keys():
            world.told.append((push.press.place, push.press.by, str(values[name])))


def awaits_answer(world: DingTalkWorld, card: DingTalkCard) -> bool:
    """Return whether a press on a card is not answered yet, nor given up."""
    return any(
        push.press.track == card.track and not push.code and not push.failed and not push.lost
        for push in world.pushes
        if push.press is not None
    )


def make_press(card: DingTalkCard, by: str) -> DingTalkCardPress:
    """Make a press by somebody who sees the card."""
    return DingTalkCardPress(card.space, by, card.track)


def _buttons(value: str) -> list[DingTalkCardButton]:
    try:
        listed: Json = json.loads(value)
    except ValueError as error:
        raise bad_request("param.error", "the buttons are no JSON") from error
    if not isinstance(listed, list):
        raise bad_request("param.error", "the buttons are no list")
    return [_button(as_object(each)) for each in listed]


def _button(value: JsonObject) -> DingTalkCardButton:
    event = as_object(value.get("event"))
    request = as_object(event.get("params"))
    label, action = value.get("text"), request.get("actionId")
    if not isinstance(label, str) or not label or value.get("color") not in _COLORS:
        raise bad_request("param.error", "a button without a text, or of no known color")
    if event.get("type") != _REQUEST or not isinstance(action, str) or not action:
        raise bad_request("param.error", "a button that asks for nothing")
    return DingTalkCardButton(label, action, as_object(request.get("params")))


def _parsed(text: str) -> JsonObject:
    try:
        return as_object(json.loads(text))
    except ValueError:
        return {}
