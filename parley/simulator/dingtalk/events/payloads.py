"""The bodies that DingTalk pushes to a robot, field by field as on the wire."""

from __future__ import annotations

import json
import time

from parley.simulator.dingtalk.model import DingTalkAccount, DingTalkMessage
from parley.simulator.dingtalk.world import CORP, DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.limits import load_limits

BOT_TOPIC = "/v1.0/im/bot/messages/get"
ROBOT_ID = "$:LWCP_v1:$robot"
_WEBHOOK_LIFE = load_limits("dingtalk")["session_webhook_life"].whole
CARD_TOPIC = "/v1.0/card/instances/callback"


def bot_message(
    world: DingTalkWorld,
    url: str,
    message: DingTalkMessage,
    account: DingTalkAccount,
    kind: str,
    body: JsonObject,
    called: bool,
) -> JsonObject:
    """Return somebody's message as pushed. `called` says that it mentions the robot (or is for it alone)."""
    group = world.groups.get(message.place)
    session = f"s{message.id}"
    expires = message.at + _WEBHOOK_LIFE
    world.sessions[session] = (message.place, expires)
    payload: JsonObject = {
        "conversationId": group.id if group else private_chat(account),
        "conversationType": "2" if group else "1",
        "chatbotCorpId": CORP,
        "chatbotUserId": ROBOT_ID,
        "msgId": message.id,
        "senderNick": account.name,
        "isAdmin": False,
        "senderCorpId": account.corp,
        "senderId": account.sender_id,
        "createAt": int(message.at * 1000),
        "sessionWebhook": f"{url}/robot/sendBySession?session={session}",
        "sessionWebhookExpiredTime": int(expires * 1000),
        "robotCode": world.robot,
        "msgtype": kind,
    }
    # DingTalk tells it of published apps only.
    if account.staff_id and world.published:
        payload["senderStaffId"] = account.staff_id
    if group:
        payload["conversationTitle"] = group.title
        payload["isInAtList"] = called
        robot: Json = {"dingtalkId": ROBOT_ID}
        payload["atUsers"] = [robot] if called else []
    payload["text" if kind == "text" else "content"] = body
    return payload | _quoted_keys(world, message)


def _quoted_keys(world: DingTalkWorld, message: DingTalkMessage) -> JsonObject:
    """Return what names the message that this one quotes."""
    found = [each for each in world.messages[message.place] if each.id == message.quotes]
    if not found:
        return {}
    keys: JsonObject = {"originalMsgId": found[0].id}
    return keys | ({"originalProcessQueryKey": found[0].id} if found[0].from_robot else {})


def private_chat(account: DingTalkAccount) -> str:
    """Return the conversation id of somebody's private chat; nothing can be sent to it."""
    return f"cid-private-{account.sender_id}"


def quote_message(world: DingTalkWorld, message: DingTalkMessage) -> JsonObject:
    """Return a message as it stands in another one that answers it."""
    content: JsonObject
    if message.card is not None:
        # As recorded by others: of its own cards the robot is told no words.
        return {
            "msgType": "interactiveCard",
            "msgId": message.id,
            "senderId": ROBOT_ID,
            "createdAt": int(message.at * 1000),
        }
    if message.file is not None:
        content = {"downloadCode": world.keep(message.file), "fileName": message.file.name}
        return {"msgType": message.kind, "msgId": message.id, "content": content}
    return {"msgType": "text", "msgId": message.id, "content": {"text": message.text}}


def card_callback(
    world: DingTalkWorld, account: DingTalkAccount, message: DingTalkMessage, action: str, params: JsonObject
) -> JsonObject:
    """Return a pressed button of a card. Its space is the conversation, in private chats too."""
    content = {"cardPrivateData": {"actionIds": [action], "params": params}}
    group = world.groups.get(message.place)
    track = "" if message.card is None else message.card.track
    return {
        "extension": "{}",
        "corpId": account.corp,
        "userId": account.id,
        "userIdType": 1,
        "spaceType": "im",
        "spaceId": group.id if group else private_chat(account),
        "outTrackId": track,
        "type": "actionCallback",
        "content": json.dumps(content),
        "value": json.dumps(content),
    }


def frame(topic: str, data: Json, number: int, kind: str = "CALLBACK") -> JsonObject:
    """Return a frame of the stream; `data` travels as text."""
    headers: JsonObject = {
        "appId": "simulated-app",
        "connectionId": "simulated-connection",
        "contentType": "application/json",
        "messageId": f"frame{number:08}",
        "time": str(int(time.time() * 1000)),
        "topic": topic,
    }
    return {
        "specVersion": "1.0",
        "type": kind,
        "headers": headers,
        "data": data if isinstance(data, str) else json.dumps(data, ensure_ascii=False),
    }
