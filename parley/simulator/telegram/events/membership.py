"""The bot's own place in a chat: taken in, thrown out, blocked, and what it is told of that."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.telegram.api.methods import as_json
from parley.simulator.telegram.api.serializers import chat_json, user_json
from parley.simulator.telegram.model import TelegramAccount, TelegramChat
from parley.simulator.telegram.world import TelegramWorld


def join(world: TelegramWorld, chat: TelegramChat, by: int | None) -> None:
    """Take the bot into a group, or unblock it in a private chat. In a group a message says so, too."""
    was_out = _is_out(world, chat)
    _set_out(world, chat, out=False)
    person = _person(world, chat, by)
    # Who was never there has left, as the platform puts it.
    outside: JsonObject = {"status": "kicked", "until_date": 0} if was_out else {"status": "left"}
    _tell(world, chat, person, outside, {"status": "member"})
    if chat.kind != "private":
        message = world.post(chat, person, None)
        message.service = {"new_chat_members": [user_json(world.bot)]}
        world.push("message", as_json(world, message))


def leave(world: TelegramWorld, chat: TelegramChat) -> None:
    """Throw the bot out of a group, or block it in a private chat."""
    _set_out(world, chat, out=True)
    _tell(
        world, chat, _person(world, chat, None), {"status": "member"}, {"status": "kicked", "until_date": 0}
    )


def _tell(
    world: TelegramWorld, chat: TelegramChat, by: TelegramAccount, old: JsonObject, new: JsonObject
) -> None:
    bot = user_json(world.bot)
    change: JsonObject = {"chat": chat_json(chat), "from": user_json(by), "date": int(time.time())}
    change |= {"old_chat_member": old | {"user": bot}, "new_chat_member": new | {"user": bot}}
    world.push("my_chat_member", change)


def _is_out(world: TelegramWorld, chat: TelegramChat) -> bool:
    return world.accounts[chat.id].blocked_bot if chat.kind == "private" else chat.bot_is_gone


def _set_out(world: TelegramWorld, chat: TelegramChat, *, out: bool) -> None:
    if chat.kind == "private":
        world.accounts[chat.id].blocked_bot = out
    else:
        chat.bot_is_gone = out


def _person(world: TelegramWorld, chat: TelegramChat, by: int | None) -> TelegramAccount:
    members = sorted(number for number in chat.members if number != world.bot.id)
    return world.accounts[by or members[0]]
