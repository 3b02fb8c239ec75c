"""The world's things as the Bot API writes them."""

from __future__ import annotations

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.telegram.model import TelegramAccount, TelegramChat, TelegramMedia, TelegramMessage


def user_json(account: TelegramAccount) -> JsonObject:
    """Return a `User`."""
    body: JsonObject = {"id": account.id, "is_bot": account.is_bot, "first_name": account.name}
    if account.username:
        body["username"] = account.username
    if account.language and not account.is_bot:
        body["language_code"] = account.language
    return body


def chat_json(chat: TelegramChat) -> JsonObject:
    """Return a `Chat`."""
    body: JsonObject = {"id": chat.id, "type": chat.kind}
    body["first_name" if chat.kind == "private" else "title"] = chat.title
    if chat.forum:
        body["is_forum"] = True
    return body


def message_json(
    message: TelegramMessage,
    chat: TelegramChat,
    sender: TelegramAccount,
    replied: tuple[TelegramMessage, TelegramAccount] | None,
) -> JsonObject:
    """Return a `Message`, with the one it replies to, which has no further ones in it."""
    body: JsonObject = {
        "message_id": message.id,
        "from": user_json(sender),
        "chat": chat_json(chat),
        "date": int(message.at),
    }
    if message.topic is not None:
        body["message_thread_id"] = message.topic
        body["is_topic_message"] = True
    elif message.thread is not None:
        body["message_thread_id"] = message.thread
    if message.edited_at is not None:
        body["edit_date"] = int(message.edited_at)
    if message.album:
        body["media_group_id"] = message.album
    if message.quote:
        body["quote"] = {"text": message.quote, "position": 0}
    if message.markup is not None:
        body["reply_markup"] = message.markup
    if replied is not None:
        body["reply_to_message"] = message_json(replied[0], chat, replied[1], None)
    return body | _content(message) | message.service


def _content(message: TelegramMessage) -> JsonObject:
    if message.rich:
        paragraph: Json = {"type": "paragraph", "text": message.rich}
        return {"rich_message": {"blocks": [paragraph]}}
    body: JsonObject = {} if message.media is None else _media(message.media)
    text, marks = ("text", "entities") if message.media is None else ("caption", "caption_entities")
    if message.text:
        body[text] = message.text
    if message.entities:
        body[marks] = message.entities
    return body


def _media(media: TelegramMedia) -> JsonObject:
    base: JsonObject = {
        "file_id": media.file_id,
        "file_unique_id": f"u-{media.file_id}",
        "file_size": media.size,
    }
    if media.kind == "photo":
        small: Json = {"file_id": f"{media.file_id}.s", "file_unique_id": "s", "width": 90, "height": 67}
        return {"photo": [small, base | {"width": 1280, "height": 960}]}
    if media.kind == "sticker":
        flags: JsonObject = {"type": "regular", "is_animated": False, "is_video": False, "emoji": "👍"}
        return {"sticker": base | flags | {"width": 512, "height": 512}}
    if media.kind == "video_note":
        return {"video_note": base | {"duration": 3, "length": 240}}
    if media.kind != "document":
        base["duration"] = 3
    if media.kind in ("video", "animation"):
        base |= {"width": 640, "height": 480}
    if media.kind != "voice":
        base["file_name"] = media.name
    file: JsonObject = base | {"mime_type": media.mime}
    if media.kind != "animation":
        return {media.kind: file}
    # The platform gives an animation as a document too, for old bots.
    document = {name: file[name] for name in file if name not in ("duration", "width", "height")}
    return {"animation": file, "document": document}
