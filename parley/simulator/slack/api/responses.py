"""Commands and shortcuts as Slack sends them, and the addresses by which an app answers them."""

from __future__ import annotations

import json
import time

from parley.simulator.kit.json_values import JsonObject, as_list, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.api.serializers import escape_typed_text, message_json, presser_json
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import EphemeralMessage, ResponseUrl, SlackMessage
from parley.simulator.slack.rendering.blocks import check_blocks
from parley.simulator.slack.world import APP, TEAM, SlackWorld

_LIMITS = load_limits("slack")
_MOST_USES = _LIMITS["responses"].whole
_LIFE = _LIMITS["response_life"].number
TIMED_OUT = 'failed with the error "operation_timeout"'
"""What Slack tells who gave a command that the app did not acknowledge in time."""


def command_json(world: SlackWorld, chat: str, by: str, command: str, text: str) -> JsonObject:
    """Return the payload of a slash command (@slack/bolt 5.1.0, SlashCommand); no field names a thread."""
    account = world.accounts[by]
    return {
        "token": "verification",
        "command": command,
        "text": escape_typed_text(world, text),
        "response_url": _new_address(world, chat, by),
        "trigger_id": world.new_trigger(by),
        "user_id": by,
        "user_name": account.handle,
        "team_id": TEAM,
        "team_domain": "sim",
        "channel_id": chat,
        "channel_name": "directmessage" if world.chats[chat].kind == "im" else world.chats[chat].title,
        "api_app_id": APP,
        "is_enterprise_install": "false",
    }


def shortcut_json(world: SlackWorld, message: SlackMessage, by: str, callback_id: str) -> JsonObject:
    """Return the payload of a shortcut that is used on a message (@slack/bolt 5.1.0, MessageShortcut)."""
    return {
        "type": "message_action",
        "callback_id": callback_id,
        "trigger_id": world.new_trigger(by),
        "message_ts": message.ts,
        "response_url": _new_address(world, message.chat, by),
        "message": message_json(world, message),
        "user": presser_json(world.accounts[by]),
        "channel": {"id": message.chat, "name": world.chats[message.chat].title},
        "team": {"id": TEAM, "domain": "sim"},
        "token": "verification",
        "action_ts": world.new_ts(),
    }


def show_answer(world: SlackWorld, chat: str, by: str, answer: JsonObject | None) -> None:
    """Show what the app said by acknowledging a command; None when it did not in time."""
    if answer is None:
        world.whispers.append(EphemeralMessage(chat, "", by, TIMED_OUT))
    elif answer:
        _whisper(world, chat, by, answer)
    world.touch()


def respond(world: SlackWorld, address: str, body: bytes) -> None:
    """Show what the app answers at an address. Raises SlackErrorResponse."""
    known = world.responses.get(address)
    if known is None or time.monotonic() - known.made > _LIFE:
        raise SlackErrorResponse("expired_url", 404)
    if known.used >= _MOST_USES:
        raise SlackErrorResponse("used_url", 404)
    try:
        given = as_object(json.loads(body))
    except ValueError:
        raise SlackErrorResponse("invalid_payload", 400) from None
    _whisper(world, known.chat, known.user, given)
    known.used += 1
    world.touch()


def _whisper(world: SlackWorld, chat: str, by: str, given: JsonObject) -> None:
    message = SlackMessage("", chat, world.bot.id, 0.0, text=str(given.get("text") or ""))
    message.blocks = as_list(given.get("blocks"))
    check_blocks(message.blocks)
    if not message.text and not message.blocks:
        raise SlackErrorResponse("no_text", 400)
    if given.get("response_type", "ephemeral") != "ephemeral":
        raise SlackErrorResponse("invalid_payload", 400)
    world.whispers.append(EphemeralMessage(chat, "", by, world.drawn(message)[0]))


def _new_address(world: SlackWorld, chat: str, by: str) -> str:
    number = world.number()
    world.responses[number] = ResponseUrl(chat, by, time.monotonic())
    return f"{world.base_url}/commands/{number}"
