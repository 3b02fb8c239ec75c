"""The bodies that DingTalk pushes to a robot, field by field as on the wire."""

from __future__ import annotations

import json
import time

from parley.simulator.dingtalk.model import DingTalkAccount, DingTalkMessage
from parley.simulator.dingtalk.world import CORP, DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject

BOT_TOPIC = "/v1.0/im/bot/messages/get"
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
    world.sessions[session] = message.place
    payload: JsonObject = {
        "conversationId": group.id if group else private_chat(account),
        "conversationType": "2" if group else "1",
        "chatbotCorpId": CORP,
        "chatbotUserId": "$:LWCP_v1:$robot",
        "msgId": message.id,
        "senderNick": account.name,
        "isAdmin": False,
        "senderCorpId": account.corp,
        "senderId": account.sender_id,
        "createAt": int(message.at * 1000),
        "sessionWebhook": f"{url}/robot/sendBySession?session={session}",
        "sessionWebhookExpiredTime": int((message.at + 5400) * 1000),
        "robotCode": world.robot,
        "msgtype": kind,
    }
    if account.staff_id:
        payload["senderStaffId"] = account.staff_id
    if group:
        payload["conversationTitle"] = group.title
        payload["isInAtList"] = called
        robot: Json = {"dingtalkId": "$:LWCP_v1:$robot"}
        payload["atUsers"] = [robot] if called else []
    payload["text" if kind == "text" else "content"] = body
    return payload


def private_chat(account: DingTalkAccount) -> str:
    """Return the conversation id of somebody's private chat; nothing can be sent to it."""
    return f"cid-private-{account.sender_id}"


def quote_message(world: DingTalkWorld, message: DingTalkMessage) -> JsonObject:
    """Return a message as it stands in another one that answers it."""
    content: JsonObject
    if message.card is not None:
        nodes: list[Json] = [{"type": "header"}, {"type": "markdown", "text": message.card.text}]
        content = {"cardId": message.card.track, "body": {"nodes": nodes}}
        return {"msgType": "interactiveCard", "msgId": message.id, "content": content}
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
