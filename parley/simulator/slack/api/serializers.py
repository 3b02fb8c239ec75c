"""The world's things as Slack writes them."""

from __future__ import annotations

import html
import re

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.slack.model import File, SlackAccount, SlackChat, SlackMessage
from parley.simulator.slack.world import APP, TEAM, SlackWorld


def escape_typed_text(world: SlackWorld, text: str) -> str:
    """Return what somebody typed as Slack writes it: `@handle` is a mention, `& < >` are escaped."""
    handles = {account.handle.lower(): account.id for account in world.accounts.values()}

    def mention(match: re.Match[str]) -> str:
        known = handles.get(match[1].lower())
        return match[0] if known is None else f"<@{known}>"

    return re.sub(r"@([\w.-]+)", mention, html.escape(text, quote=False))


def user_json(account: SlackAccount, *, locale: bool = False) -> JsonObject:
    """Return a user, as `users.info` tells, with their locale where that is asked for."""
    spoken: JsonObject = {"locale": account.locale} if locale else {}
    return spoken | {
        "id": account.id,
        "team_id": account.team,
        "name": account.handle,
        "deleted": False,
        "real_name": account.name,
        "tz": "Europe/Berlin",
        "profile": {"real_name": account.name, "display_name": account.name, "team": account.team},
        "is_bot": account.is_bot,
        "is_restricted": account.restricted or account.ultra_restricted,
        "is_ultra_restricted": account.ultra_restricted,
        "is_stranger": account.stranger,
    }


def file_json(world: SlackWorld, file: File) -> JsonObject:
    """Return a file, as it stands in messages and `files.info`."""
    url = f"{world.base_url}/files-pri/{TEAM}-{file.id}"
    shares: dict[str, Json] = {chat: [{"ts": ts}] for chat, ts in file.shown}
    body: JsonObject = {
        "id": file.id,
        "created": 1_700_000_000,
        "name": file.name,
        "title": file.title or file.name,
        "mimetype": file.mime,
        "filetype": file.name.rpartition(".")[2],
        "user": file.owner,
        "mode": "hosted",
        "is_external": False,
        "size": len(file.content) if file.declared is None else file.declared,
        "url_private": f"{url}/{file.name}",
        "url_private_download": f"{url}/download/{file.name}",
        "shares": {"public": shares},
        "channels": [chat for chat, _ in file.shown],
    }
    return body | _voice_clip(file)


def _voice_clip(file: File) -> JsonObject:
    """Return what a voice clip has besides; Slack listens to it after it was sent."""
    if file.heard is None:
        return {}
    heard: JsonObject = {"status": "processing"}
    if file.heard:
        preview: JsonObject = {"content": html.escape(file.heard, quote=False), "has_more": False}
        heard = {"status": "complete", "locale": "en-US", "preview": preview}
    return {"subtype": "slack_audio", "duration_ms": 2000, "transcription": heard}


def message_json(world: SlackWorld, message: SlackMessage, *, metadata: bool = False) -> JsonObject:
    """Return a message as `conversations.history` tells it, with its metadata on request."""
    sender = world.accounts[message.sender]
    body: JsonObject = {
        "type": "message",
        "user": sender.id,
        "ts": message.ts,
        "text": message.text or html.escape(world.drawn(message)[0], quote=False),
        "team": sender.team,
    }
    if sender.is_bot:
        body |= {"bot_id": sender.bot_id, "app_id": APP, "bot_profile": _bot_profile(sender)}
    if message.thread:
        body["thread_ts"] = message.thread
    if message.subtype:
        body["subtype"] = message.subtype
    if message.edited:
        body["edited"] = {"user": sender.id, "ts": message.ts}
    if message.files:
        body["files"] = [file_json(world, world.files[file]) for file in message.files]
    if metadata and message.metadata:
        body["metadata"] = message.metadata
    return body


def _bot_profile(bot: SlackAccount) -> JsonObject:
    profile: JsonObject = {"id": bot.bot_id, "app_id": APP, "name": bot.name, "team_id": bot.team}
    return profile | {"deleted": False, "updated": 1_700_000_000, "icons": {}}


def message_event(world: SlackWorld, chat: SlackChat, message: SlackMessage) -> JsonObject:
    """Return the `message` event of a new message."""
    kind = "channel" if chat.kind == "channel" else chat.kind
    body = message_json(world, message) | {"channel": chat.id, "channel_type": kind}
    if kind == "im" and hears_context(world):
        # With agent_view what somebody looks at comes with their message (@slack/types 3.2.0,
        # GenericMessageEvent.app_context).
        body |= {"app_context": context_of(world, message.sender)}
    return body | {"event_ts": message.ts, "client_msg_id": f"m-{message.ts}"}


def hears_context(world: SlackWorld) -> bool:
    """Tell whether the app is told what people look at."""
    return world.experience == "agent" and "app_context_changed" not in world.unsubscribed


def context_of(world: SlackWorld, person: str) -> JsonObject:
    """Return what somebody looks at beside the app, empty for nothing."""
    viewed = world.viewed.get(person)
    return {"entities": list(viewed)} if viewed else {}


def mention_event(world: SlackWorld, chat: SlackChat, message: SlackMessage) -> JsonObject:
    """Return the `app_mention` event of the same post: without `channel_type`, as on the platform."""
    return message_json(world, message) | {"type": "app_mention", "channel": chat.id, "event_ts": message.ts}


def presser_json(account: SlackAccount) -> JsonObject:
    """Return whoever presses a button or sends a form."""
    return {"id": account.id, "username": account.handle, "name": account.handle, "team_id": account.team}


def press_json(world: SlackWorld, message: SlackMessage, by: SlackAccount, button: JsonObject) -> JsonObject:
    """Return the payload of a pressed button."""
    place: JsonObject = {"type": "message", "message_ts": message.ts, "channel_id": message.chat}
    place |= {"is_ephemeral": False} | ({"thread_ts": message.thread} if message.thread else {})
    return {
        "type": "block_actions",
        "token": "verification",
        "team": {"id": TEAM, "domain": "sim"},
        "user": presser_json(by),
        "api_app_id": APP,
        "container": place,
        "channel": {"id": message.chat, "name": world.chats[message.chat].title},
        "message": message_json(world, message) | {"blocks": message.blocks},
        "state": {"values": {}},
        "actions": [button | {"action_ts": world.new_ts()}],
        "trigger_id": world.new_trigger(by.id),
        "response_url": f"{world.base_url}/respond/{message.ts}",
    }
