"""Reactions to messages. Methods as in `messages`."""

from __future__ import annotations

import time

from parley.simulator.feishu.api.messages import READING
from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.errors import FeishuErrorResponse, no_scope
from parley.simulator.feishu.model import FeishuMessage, FeishuReaction
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_object

REACTING = "im:message.reactions:write_only"
MOST_IN_PAGE = 50
EMOJIS = frozenset({"OK", "THUMBSUP", "SMILE", "DONE", "HEART", "Get", "OnIt", "Typing", "THINKING", "EYES"})
"""Some of those that there are."""


def add(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """React to a message; the same reaction once more is the one that is there."""
    if REACTING in world.denied:
        raise no_scope(REACTING)
    message = _message(world, request)
    emoji = as_object(request.body.get("reaction_type")).get("emoji_type")
    if not isinstance(emoji, str) or emoji not in EMOJIS:
        raise _bad_type()
    own = (each for each in message.reactions if (each.by, each.emoji) == (world.bot.open_id, emoji))
    reaction = next(own, None)
    if reaction is None:
        reaction = FeishuReaction(world.name("reaction"), world.bot.open_id, emoji, time.time())
        message.reactions.append(reaction)
        world.touch()
    return _json(world, reaction)


def remove(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Take away a reaction of the app's own."""
    if REACTING in world.denied:
        raise no_scope(REACTING)
    message, number = _message(world, request), request.path["reaction"]
    reaction = next((each for each in message.reactions if each.id == number), None)
    if reaction is None:
        raise FeishuErrorResponse(231011, "The request has an invalid reaction_id.")
    if reaction.by != world.bot.open_id:
        raise FeishuErrorResponse(231007, "The operator has no permission to delete this reaction.")
    message.reactions.remove(reaction)
    world.touch()
    return _json(world, reaction)


def list_reactions(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give the reactions to a message, of one kind where that is asked for."""
    if READING in world.denied:
        raise no_scope(READING)
    message, wanted = _message(world, request), request.query.get("reaction_type", "")
    if wanted and wanted not in EMOJIS:
        raise _bad_type()
    found: list[Json] = [_json(world, each) for each in message.reactions if wanted in ("", each.emoji)]
    return {"items": found[:MOST_IN_PAGE], "has_more": len(found) > MOST_IN_PAGE, "page_token": ""}


def _message(world: FeishuWorld, request: FeishuRequest) -> FeishuMessage:
    message = world.messages.get(request.path["message"])
    if message is None or message.recalled:
        raise FeishuErrorResponse(231003, "The message is not found, maybe not exist or deleted.")
    if world.chats[message.chat].bot_is_gone:
        raise FeishuErrorResponse(231002, "The operator has no permission to react on the specific message.")
    return message


def _bad_type() -> FeishuErrorResponse:
    return FeishuErrorResponse(231001, "reaction type is invalid.")


def _json(world: FeishuWorld, reaction: FeishuReaction) -> JsonObject:
    account = world.accounts[reaction.by]
    operator: JsonObject = {
        "operator_id": account.app_id if account.is_bot else account.open_id,
        "operator_type": "app" if account.is_bot else "user",
    }
    return {
        "reaction_id": reaction.id,
        "operator": operator,
        "action_time": str(round(reaction.at * 1000)),
        "reaction_type": {"emoji_type": reaction.emoji},
    }
