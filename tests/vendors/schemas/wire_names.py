"""Names of what goes over each platform's wire, and which of them must occur where it is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from parley.core.model.types import Json
from tests.kit.wire_shapes import nested_json

Record = Mapping[str, Json]
_FILE = re.compile(r"^/(?:files-pri|file|upload)/.*")
_ID = re.compile(r"(?<=/messages/)(?!get$)[^/]+|(?<=/resources/)[^/]+")
_IM = "/open-apis/im/v1/messages"
_CARD = "/open-apis/cardkit/v1/cards"
_MUST: Mapping[str, str] = {
    "slack": """
        FILE agents.sessions.setStatus apps.connections.open assistant.threads.setStatus
        assistant.threads.setSuggestedPrompts assistant.threads.setTitle auth.test chat.appendStream
        chat.delete chat.postEphemeral chat.postMessage
        chat.startStream chat.stopStream chat.update conversations.history
        conversations.replies files.completeUploadExternal
        files.getUploadURLExternal files.info reactions.add
        reactions.remove users.info views.open views.publish websocket
    """,
    "telegram": """
        FILE answerCallbackQuery answerGuestQuery deleteMessage deleteWebhook editMessageText getChatMember
        getFile getMe getUpdates getWebhookInfo sendAnimation sendAudio
        sendChatAction sendDocument sendMediaGroup sendMessage
        sendMessageDraft sendPhoto sendRichMessage sendVideo sendVoice setMessageReaction setMyCommands
        setWebhook
    """,
    "feishu": f"""
        DELETE:{_IM}/ID DELETE:{_IM}/ID/reactions/ID GET:/open-apis/application/v6/scopes
        GET:/open-apis/bot/v3/info GET:/open-apis/contact/v3/users/ID GET:{_IM} GET:{_IM}/ID
        GET:{_IM}/ID/reactions GET:{_IM}/ID/resources/ID GET:websocket PATCH:{_CARD}/ID/settings
        PATCH:{_IM}/ID POST:/callback/ws/endpoint
        POST:/open-apis/auth/v3/tenant_access_token/internal POST:{_CARD}
        POST:/open-apis/im/v1/files POST:/open-apis/im/v1/images POST:{_IM} POST:{_IM}/ID/reactions
        POST:{_IM}/ID/reply PUT:{_CARD}/ID PUT:{_CARD}/ID/elements/answer/content
        PUT:{_CARD}/ID/elements/steps/content POST:/open-apis/speech_to_text/v1/speech/file_recognize
    """,
    "dingtalk": """
        GET:FILE GET:websocket POST:/media/upload POST:/robot/sendBySession POST:/topapi/v2/user/get
        POST:/v1.0/card/instances/createAndDeliver POST:/v1.0/gateway/connections/open
        POST:/v1.0/oauth2/accessToken POST:/v1.0/robot/emotion/recall POST:/v1.0/robot/emotion/reply
        POST:/v1.0/robot/groupMessages/send POST:/v1.0/robot/messageFiles/download
        POST:/v1.0/robot/oToMessages/batchSend PUT:/v1.0/card/instances PUT:/v1.0/card/streaming
    """,
}
MUST_CALLS = {
    name: frozenset(word.replace(":", " ", 1) for word in words.split()) for name, words in _MUST.items()
}
"""The calls of each channel: all must be heard, and what is heard beside them must be written down here."""
_NEWS_OF = {
    "slack": """
        agent_session_stopped app_context_changed app_home_opened app_mention assistant_thread_started
        block_actions file_share message message_action message_changed slash_commands view_submission
    """,
    "telegram": """
        callback_query edited_message guest_message message my_chat_member stopped_message_generation
    """,
    "feishu": """
        card.action.trigger im.chat.access_event.bot_p2p_chat_entered_v1 im.chat.member.bot.added_v1
        im.message.recalled_v1 im.message.receive_v1
    """,
    "dingtalk": """
        /v1.0/card/instances/callback /v1.0/im/bot/messages/get:audio /v1.0/im/bot/messages/get:file
        /v1.0/im/bot/messages/get:text disconnect KEEPALIVE ping
    """,
}
MUST_NEWS = {
    name: frozenset(f"news {word.replace(':', ' ')}" for word in words.split())
    for name, words in _NEWS_OF.items()
}
"""Events, presses and frames of each platform that must be heard."""
_SETTING_UP = frozenset(
    {"GET /ws", "POST /oauth/v1/app/registration"}
    | {f"POST /app/registration/{step}" for step in ("init", "begin", "poll")}
)
"""Addresses that a platform names itself, and those that set an app up: no schema of them is published."""


def missing_and_unknown(platform: str, records: Sequence[Record]) -> tuple[list[str], list[str]]:
    """Return what must be heard and never is, and calls that are heard and not written down."""
    heard = frozenset(name for record in records for name in _names(platform, record))
    calls = {name for name in heard if not name.startswith("news ")}
    must = MUST_CALLS[platform]
    return sorted((must | MUST_NEWS[platform]) - heard), sorted(calls - must - _SETTING_UP)


def _names(platform: str, record: Record) -> Iterator[str]:
    if record["kind"] == "call":
        path = _ID.sub("ID", _FILE.sub("FILE", str(record["path"])))
        short = path.rsplit("/", 1)[-1] if platform in ("slack", "telegram") else path
        yield short if platform in ("slack", "telegram") else f"{record['method']} {path}"
        if platform == "telegram" and short == "getUpdates":
            yield from _updates(_at(record, "response", "result"))
    elif record.get("inward", True):
        yield from _NEWS[platform](record)


def _updates(updates: Json) -> Iterator[str]:
    for update in updates if isinstance(updates, list) else ():
        yield from (f"news {key}" for key in _object(update) if key != "update_id")


def _slack_news(record: Record) -> Iterator[str]:
    inner = ("data", "payload") if record["kind"] == "frame" else ("data",)
    event = _object(_at(record, *inner, "event"))
    payload = _object(_at(record, *inner))
    if event:
        yield f"news {event.get('subtype') or event.get('type')}"
    elif record["kind"] == "frame":
        yield f"news {payload.get('type') or _at(record, 'data', 'type')}"


def _feishu_news(record: Record) -> Iterator[str]:
    kind = _at(record, "data", "payload", "header", "event_type")
    yield f"news {kind}"


def _dingtalk_news(record: Record) -> Iterator[str]:
    message = _object(_at(record, "data", "data")).get("msgtype")
    yield f"news {_at(record, 'data', 'headers', 'topic')}" + (f" {message}" if message else "")


_NEWS = {
    "slack": _slack_news,
    "telegram": lambda record: _updates([record.get("data")]),
    "feishu": _feishu_news,
    "dingtalk": _dingtalk_news,
}


def _at(record: Record, *names: str) -> Json:
    value: Json = dict(record)
    for name in names:
        value = _object(value).get(name)
    return value


def _object(value: Json) -> dict[str, Json]:
    found = nested_json(value)
    return dict(value) if isinstance(value, dict) else dict(found) if isinstance(found, dict) else {}
