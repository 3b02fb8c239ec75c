"""People's presses of buttons, and what they are told at once.

An app has as long as for an event to answer. Unlike an event, a press that it did not answer is not sent
again: the person's client says that it did not work.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

from parley.simulator.feishu.api.cards import check_card
from parley.simulator.feishu.errors import FeishuErrorResponse
from parley.simulator.feishu.model import FeishuMessage, FeishuToast
from parley.simulator.feishu.rendering.card_buttons import buttons
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import JsonObject, as_object


def press_button(
    world: FeishuWorld, chat: str, by: str, message: str, title: str, written: Mapping[str, str]
) -> str:
    """Press a button of a message; returns the id of the event.

    Raises LookupError where there is none, ValueError for a form that is not filled as it has to be.
    """
    shown = world.messages[message]
    found = [] if shown.recalled else buttons(world.body(shown))
    button = next((each for each in found if each.label == title), None)
    if button is None:
        raise LookupError(f"message {message} has no button {title!r}")
    event: JsonObject = {
        "operator": {"open_id": by, "tenant_key": world.accounts[by].tenant},
        "token": "c-" + message,
        "action": button.action(written),
        "host": "im_message",
        "context": {"open_message_id": message, "open_chat_id": chat},
    }
    shown.pressed += 1
    return world.push("card.action.trigger", event, FeishuToast(chat, by, message))


def apply_callback_response(world: FeishuWorld, told: FeishuToast, answer: str) -> None:
    """Show what the app's acknowledgement of a press carried (base64 of JSON, "" for nothing)."""
    if told.answered or told.failed:
        return
    told.answered = True
    given = as_object(json.loads(base64.b64decode(answer) or b"{}"))
    toast = given.get("toast")
    if isinstance(toast, dict):
        told.text = str(toast.get("content", ""))
    message = world.messages[told.message]
    _end_interaction(message)
    if "card" in given:
        _show_card(world, message, as_object(given["card"]))


def _show_card(world: FeishuWorld, message: FeishuMessage, given: JsonObject) -> None:
    """Put the card of an answer in place of the one that was pressed; a bad one changes nothing."""
    body = as_object(given.get("data"))
    if given.get("type") != "raw" or message.recalled:
        return
    try:
        check_card(body)
    except FeishuErrorResponse:
        return
    card = world.cards.get(message.card)
    if card is None:
        message.content = body
    else:
        card.body = body
    world.note_shown(message)


def _end_interaction(message: FeishuMessage) -> None:
    """Undo what the app changed in a card before it answered the press."""
    message.pressed = max(0, message.pressed - 1)
    if message.before_press is not None:
        message.content, message.before_press = message.before_press, None


def mark_press_failed(world: FeishuWorld, told: FeishuToast | None) -> None:
    """Note that a press was not answered in time, or not with success."""
    if told is not None and not told.answered and not told.failed:
        told.failed = True
        _end_interaction(world.messages[told.message])


def list_toasts(world: FeishuWorld, chat: str, by: str) -> tuple[str, ...]:
    """Return the texts that popped up for somebody in a chat when they had pressed a button, oldest first."""
    return tuple(each.text for each in world.told if (each.chat, each.by) == (chat, by) and each.text)


def count_failed_presses(world: FeishuWorld, chat: str, by: str) -> int:
    """Return how often somebody's client said that a press did not work."""
    return sum(each.failed for each in world.told if (each.chat, each.by) == (chat, by))
