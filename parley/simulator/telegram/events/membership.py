"""The bot's place in a chat: taken in, thrown out, blocked, and the update that tells it."""

from __future__ import annotations

import time

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.telegram.api.serializers import chat_json, user_json
from parley.simulator.telegram.model import TelegramChat
from parley.simulator.telegram.world import TelegramWorld


def set_bot(world: TelegramWorld, place: TelegramChat, by: int | None, *, here: bool) -> None:
    """Take the bot in or out, and push `my_chat_member`. `by` is who does it: else the first of the chat."""
    private = place.kind == "private"
    place.bot_is_gone = not here and not private
    if private:
        world.accounts[place.id].blocked_bot = not here
    people = sorted(number for number in place.members if number != world.bot.id)
    bot = user_json(world.bot)
    inside: JsonObject = {"status": "member", "user": bot}
    outside: JsonObject = {"status": "kicked", "user": bot, "until_date": 0}
    world.push(
        "my_chat_member",
        {
            "chat": chat_json(place),
            "from": user_json(world.accounts[by or people[0]]),
            "date": int(time.time()),
            "old_chat_member": outside if here else inside,
            "new_chat_member": inside if here else outside,
        },
    )
