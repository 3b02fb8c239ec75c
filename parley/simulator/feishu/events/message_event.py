"""What an app is told about a message that somebody wrote."""

from __future__ import annotations

import re

from parley.simulator.feishu.api.messages import as_json, content_json
from parley.simulator.feishu.model import FeishuAccount, FeishuMessage
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject


def message_event(world: FeishuWorld, message: FeishuMessage) -> JsonObject:
    """Return what the app is told about a message."""
    sender = world.accounts[message.sender]
    known = as_json(world, message)
    wanted = ("message_id", "root_id", "parent_id", "thread_id", "create_time", "chat_id")
    body: JsonObject = {key: known[key] for key in wanted if key in known}
    body |= {
        "update_time": known["create_time"],
        "chat_type": world.chats[message.chat].kind,
        "message_type": message.kind,
        "content": content_json(world, message),
    }
    if message.mentions:
        body["mentions"] = message.mentions
    return {
        "sender": {
            "sender_id": account_ids(sender),
            "sender_type": "app" if sender.is_bot else "user",
            "tenant_key": sender.tenant,
        },
        "message": body,
    }


def mark_mentions(world: FeishuWorld, chat: str, text: str) -> tuple[str, list[Json]]:
    """Return the text with placeholders for the members that it names, and who they are."""
    members = [world.accounts[each] for each in world.chats[chat].members]
    names = {account.name: account for account in members}
    if not names:
        return text, []
    mentions: list[Json] = []

    def mark(found: re.Match[str]) -> str:
        account = names[found[1]]
        key = f"@_user_{len(mentions) + 1}"
        kind = "bot" if account.is_bot else "user"
        mentions.append(
            {
                "key": key,
                "id": account_ids(account),
                "name": account.name,
                "mentioned_type": kind,
                "tenant_key": account.tenant,
            }
        )
        return key

    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(f"@({pattern})(?!\\w)", mark, text), mentions


def account_ids(account: FeishuAccount) -> JsonObject:
    """Return the ids of an account, as events have them."""
    return {"open_id": account.open_id, "union_id": account.open_id.replace("ou_", "on_", 1), "user_id": None}
