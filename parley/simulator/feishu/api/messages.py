"""The messages API. Each method takes the locked world and the request and returns the answer's `data`."""

from __future__ import annotations

import json
import time

from parley.simulator.feishu.api.cards import card_for, check_card
from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.errors import FeishuErrorResponse, invalid, no_permission, no_scope, too_long
from parley.simulator.feishu.model import FeishuChat, FeishuMessage
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject, decode_object

MOST_TEXT = 150_000
MOST_RICH = 30 * 1024
MOST_EDITS = 20
UUID_LIFE = 3600.0
READING = "im:message:readonly"
GROUP_READING = "im:message.group_msg"
BOT_MENTIONS = "im:message.group_at_msg.include_bot:readonly"
BOT_ADDED = "im:chat.members:bot_access"
CHAT_ENTERED = "im:chat.access_event.bot_p2p_chat:read"
FORWARDED = "Merged and Forwarded Message"
RECALLED = "This message was recalled"
_KINDS = frozenset({"text", "post", "interactive", "image", "file", "audio", "media", "sticker"})


def send(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Send a message to a chat."""
    if request.query.get("receive_id_type") not in ("chat_id", "open_id"):
        raise invalid("receive_id_type")
    target = request.text("receive_id")
    if request.query["receive_id_type"] == "open_id":
        target = next((c.id for c in world.chats.values() if c.kind == "p2p" and target in c.members), "")
    return _post(world, world.chat_for_bot(target), request, None)


def reply(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Send an answer to a message."""
    answered = _message(world, request)
    return _post(world, world.chat_for_bot(answered.chat), request, answered)


def _post(
    world: FeishuWorld, chat: FeishuChat, request: FeishuRequest, answered: FeishuMessage | None
) -> JsonObject:
    uuid = request.text("uuid")
    if len(uuid) > 50:
        raise invalid("uuid")
    known = world.sent.get(uuid) if uuid else None
    if known is not None and time.time() - known[0] < UUID_LIFE:
        return as_json(world, world.messages[known[1]])
    world.check_rate(chat.id, world.pace.chat)
    kind = request.text("msg_type")
    content = _content(world, kind, request.text("content"))
    card = card_for(world, content)
    message = world.post(chat, world.bot, kind, content)
    world.place(message, answered, in_thread=request.body.get("reply_in_thread") is True)
    if card is not None:
        card.message, message.card = message.id, card.id
    if uuid:
        world.sent[uuid] = (time.time(), message.id)
    world.note_shown(message)
    return as_json(world, message)


def patch(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Put another card in place of a card."""
    message = _own(world, request)
    if message.kind != "interactive" or message.card:
        raise FeishuErrorResponse(230054, "This operation is not supported for this message type.")
    world.check_rate(message.id, world.pace.edit)
    message.edits.append(time.monotonic())
    content = _content(world, "interactive", request.text("content"))
    if not _shared(message.content) or not _shared(content):
        raise FeishuErrorResponse(230099, "Failed to create card content, ext=update_multi must be true")
    if message.pressed and message.before_press is None:
        # It is seen for a moment, until the press is answered.
        message.before_press = message.content
    message.content = content
    world.note_shown(message)
    return {}


def edit(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Put another text or post in place of one; twenty times at most."""
    message = _own(world, request)
    kind = request.text("msg_type")
    if kind not in ("text", "post") or message.kind not in ("text", "post"):
        raise FeishuErrorResponse(230054, "This operation is not supported for this message type.")
    if len(message.edits) >= MOST_EDITS:
        raise FeishuErrorResponse(230072, "The message has reached the number of times it can be edited.")
    message.edits.append(time.monotonic())
    message.kind, message.content = kind, _content(world, kind, request.text("content"))
    world.note_shown(message)
    return as_json(world, message)


def recall(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Take a message away."""
    message = _own(world, request)
    message.recalled = True
    world.touch()
    return {}


def get(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give a message; without being asked for them, cards come as a hint to update the client."""
    if READING in world.denied:
        raise no_scope(READING)
    message = _message(world, request)
    check_group_reading(world, world.chats[message.chat])
    found: list[Json] = [read_json(world, message, request)]
    return {"items": [*found, *_forwarded(world, message, request)]}


def _forwarded(world: FeishuWorld, message: FeishuMessage, request: FeishuRequest) -> list[Json]:
    """Return the messages in a forwarded conversation, and those in conversations forwarded in it."""
    found: list[Json] = []
    for each in (world.messages[number] for number in message.forwarded):
        found.append(read_json(world, each, request) | {"upper_message_id": message.id})
        found += _forwarded(world, each, request)
    return found


def check_group_reading(world: FeishuWorld, chat: FeishuChat) -> None:
    """Raise FeishuErrorResponse where the app may not read what it was not told in a group."""
    if chat.kind != "p2p" and GROUP_READING in world.denied:
        raise no_permission()


def read_json(world: FeishuWorld, message: FeishuMessage, request: FeishuRequest) -> JsonObject:
    """Return a message as it is read, with what the request asks for of cards and names."""
    found = as_json(world, message)
    whole = request.query.get("card_msg_content_type") == "user_card_content"
    if message.kind == "interactive" and not whole:
        hint: Json = [[{"tag": "text", "text": "请升级至最新版本客户端，以查看内容"}]]
        found["body"] = {"content": json.dumps({"title": None, "elements": hint})}
    sender = found["sender"]
    if request.query.get("with_sender_name") == "true" and world.tells_names and isinstance(sender, dict):
        found["sender"] = sender | {"sender_name": world.accounts[message.sender].name}
    return found


def content_json(world: FeishuWorld, message: FeishuMessage) -> str:
    """Return what the `content` of a message holds: JSON, but for what was forwarded or taken back."""
    if message.recalled:
        return RECALLED
    if message.kind == "merge_forward":
        return FORWARDED
    return json.dumps(world.body(message), ensure_ascii=False)


def as_json(world: FeishuWorld, message: FeishuMessage) -> JsonObject:
    """Return a message as the API writes it."""
    account = world.accounts[message.sender]
    sender: JsonObject = {
        "id": account.app_id if account.is_bot else message.sender,
        "id_type": "app_id" if account.is_bot else "open_id",
        "sender_type": "app" if account.is_bot else "user",
        "tenant_key": account.tenant,
    }
    found: JsonObject = {
        "message_id": message.id,
        "root_id": message.root,
        "parent_id": message.parent,
        "thread_id": message.thread,
        "msg_type": message.kind,
        "create_time": str(round(message.at * 1000)),
        "deleted": message.recalled,
        "chat_id": message.chat,
        "sender": sender,
        "updated": bool(message.edits),
        "body": {"content": content_json(world, message)},
        "mentions": [_plain_mention(mention) for mention in message.mentions],
    }
    return {key: value for key, value in found.items() if value != ""}


def _plain_mention(mention: Json) -> Json:
    """In answers the id is a text, in events an object."""
    if not isinstance(mention, dict) or not isinstance(mention.get("id"), dict):
        return mention
    inner = mention["id"]
    return mention | {"id": inner.get("open_id") if isinstance(inner, dict) else "", "id_type": "open_id"}


def _message(world: FeishuWorld, request: FeishuRequest) -> FeishuMessage:
    message = world.messages.get(request.path["message"])
    if message is None:
        raise FeishuErrorResponse(
            230001, "Your request contains an invalid request parameter, ext=invalid message_id"
        )
    if message.recalled:
        raise FeishuErrorResponse(230011, "The message was withdrawn.")
    return message


def _own(world: FeishuWorld, request: FeishuRequest) -> FeishuMessage:
    message = _message(world, request)
    if message.sender != world.bot.open_id:
        raise FeishuErrorResponse(230071, "The operator is not the sender of the message.")
    world.chat_for_bot(message.chat)
    return message


def _shared(card: JsonObject) -> bool:
    config = card.get("config")
    return isinstance(config, dict) and config.get("update_multi", card.get("schema") == "2.0") is True


def _content(world: FeishuWorld, kind: str, raw: str) -> JsonObject:
    """Return a message's content, checked. Raises FeishuErrorResponse."""
    if kind not in _KINDS:
        raise invalid("msg_type")
    if len(raw.encode()) > (MOST_TEXT if kind == "text" else MOST_RICH):
        raise too_long()
    no_json = FeishuErrorResponse(
        230001, "invalid message content, ext=content is not a string in json format"
    )
    content = decode_object(raw, no_json, FeishuErrorResponse(230001, "invalid message content"))
    _check(world, kind, content)
    return content


def _check(world: FeishuWorld, kind: str, content: JsonObject) -> None:
    if kind == "text" and not str(content.get("text", "")).strip():
        raise FeishuErrorResponse(230001, "invalid message content, ext=text is empty")
    if kind == "interactive" and content.get("type") != "card":
        check_card(content)
    if kind in ("image", "file", "audio", "media"):
        blob = world.blobs.get(str(content.get("image_key" if kind == "image" else "file_key")))
        if blob is None or (blob.kind == "image") != (kind == "image"):
            raise FeishuErrorResponse(230001, f"invalid message content, ext=invalid {kind} key")
        if blob.kind != kind:
            raise FeishuErrorResponse(
                230055, "The type of file upload does not match the type of message being sent."
            )
