"""Reactions of the app to messages."""

from __future__ import annotations

import re

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.slack.api.methods import Method
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import SlackMessage
from parley.simulator.slack.world import SlackWorld

_NAME = re.compile(r"[a-z0-9_+'-]{1,100}\Z")


def add(world: SlackWorld, params: SlackParams) -> JsonObject:
    """React to a message."""
    message, name = _message(world, params)
    if name in message.reactions:
        raise SlackErrorResponse("already_reacted")
    message.reactions.append(name)
    world.touch()
    return {}


def remove(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Take a reaction away."""
    message, name = _message(world, params)
    if name not in message.reactions:
        raise SlackErrorResponse("no_reaction")
    message.reactions.remove(name)
    world.touch()
    return {}


def _message(world: SlackWorld, params: SlackParams) -> tuple[SlackMessage, str]:
    chat, name = world.chat_for_bot(params.needed("channel")), params.needed("name")
    if not _NAME.match(name):
        raise SlackErrorResponse("invalid_name")
    message = world.messages[chat.id].get(params.text("timestamp"))
    if message is None:
        raise SlackErrorResponse("message_not_found")
    return message, name


METHODS: dict[str, tuple[Method, str]] = {
    "reactions.add": (add, "reactions:write"),
    "reactions.remove": (remove, "reactions:write"),
}
