"""The words and files of a message, of every kind there is. Pure."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from parley.channels.dingtalk.inbound.forwarded_chat import forwarded_words, shared_words
from parley.channels.dingtalk.sdk import ChatbotMessage, TextContent
from parley.channels.kit.fields import number_or
from parley.channels.kit.files import kind_of, safe_name
from parley.channels.kit.text import wellformed
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import Json

_MOST_QUOTED = 4000
_DEEPEST = 8
_WORDS = ("text", "content", "title", "markdown", "msgContent", "summary")
_UNSEEN = "[unsupported]"
"""Stands for a message whose kind alone DingTalk tells, or not even that."""


@dataclass(frozen=True, slots=True)
class DingTalkMessageContent:
    """Words, what they quote, and files whose handles are DingTalk's download codes.

    A quote whose words DingTalk leaves out is named by `quotes`, the key of a message of ours, by `original`,
    the id of any message, and by `quoted_at`, when it was written.
    """

    text: str = ""
    quoted: str = ""
    files: tuple[Attachment, ...] = field(default=())
    quotes: str = ""
    original: str = ""
    quoted_at: float = 0.0


def parse_content(message: ChatbotMessage) -> DingTalkMessageContent:
    """Return what a message holds; of kinds that nobody knows, their names. Raises ValueError, TypeError."""
    match message.message_type:
        case "text":
            return _text(message)
        case "richText":
            found = _rich(message.rich_text_content.rich_text_list, str(message.chatbot_user_id))
            return found if found.text.strip() or found.files else DingTalkMessageContent("[richText]")
        case "picture":
            files = _picture(message.image_content.download_code, 1)
            return DingTalkMessageContent("" if files else "[picture]", files=files)
    # The SDK keeps the bodies of other kinds as they came.
    body = message.extensions.get("content")
    return _other(str(message.message_type), body if isinstance(body, dict) else {})


def _text(message: ChatbotMessage) -> DingTalkMessageContent:
    """Return words, and what they answer: of that, the words and the files."""
    text: TextContent = message.text
    said = DingTalkMessageContent(
        _string(text.content),
        quotes=_string(message.extensions.get("originalProcessQueryKey")),
        original=_string(message.extensions.get("originalMsgId")),
    )
    replied = text.extensions.get("repliedMsg")
    if not isinstance(replied, dict):
        return said if text.extensions.get("isReplyMsg") is True else replace(said, quotes="", original="")
    found = _quoted(_string(replied.get("msgType")), replied.get("content"))
    return replace(
        said,
        quoted=(found.quoted or found.text)[:_MOST_QUOTED],
        files=found.files,
        original=_string(replied.get("msgId")) or said.original,
        quoted_at=number_or(replied.get("createdAt"), 0.0) / 1000,
    )


def _quoted(kind: str, content: Json) -> DingTalkMessageContent:
    """Return what a quoted message holds."""
    body = content if isinstance(content, dict) else {}
    match kind:
        case "picture":
            return DingTalkMessageContent(files=_picture(body.get("downloadCode"), 1))
        case "richText" if isinstance(body.get("richText"), list):
            return _rich(body["richText"], "")
        case "chatRecord" | "audio" | "video" | "file":
            return _passed_on(_other(kind, body))
    return DingTalkMessageContent("\n".join(_words(content, 0)))


def _passed_on(found: DingTalkMessageContent) -> DingTalkMessageContent:
    """Return a message as a quote has it: what was said in it, whoever quotes it did not say."""
    spoken = [file.transcript for file in found.files if file.transcript]
    if spoken:
        return DingTalkMessageContent(spoken[0])
    files = tuple(replace(file, voice=False) for file in found.files)
    return replace(found, text="" if found.text.startswith("[") else found.text, files=files)


def _other(kind: str, body: dict[str, Json]) -> DingTalkMessageContent:
    match kind:
        case "chatRecord":
            return _told(kind, forwarded_words(body))
        case "interactiveCard":
            return _told(kind, shared_words(body))
        case "audio" if not body.get("downloadCode") and _heard(body):
            return DingTalkMessageContent(_heard(body))
        case "markdown" if words := _string(body.get("text")).strip():
            return DingTalkMessageContent(words)
    files = _file(kind, body)
    return DingTalkMessageContent(files=files) if files else DingTalkMessageContent(_placeholder(kind))


def _heard(body: Mapping[str, Json]) -> str:
    """Return what DingTalk understood of a voice message; "" for nothing."""
    return wellformed(_string(body.get("recognition"))).strip()


def _told(kind: str, words: str) -> DingTalkMessageContent:
    """Return what somebody passed on: the words of others are a quote."""
    return DingTalkMessageContent(quoted=words) if words else DingTalkMessageContent(_placeholder(kind))


def _placeholder(kind: str) -> str:
    return f"[{kind}]" if kind.isidentifier() and len(kind) <= 40 and kind != "unknownMsgType" else _UNSEEN


def _file(kind: str, body: dict[str, Json]) -> tuple[Attachment, ...]:
    code = body.get("downloadCode")
    if not isinstance(code, str) or not code:
        return ()
    match kind:
        case "audio":
            name, heard = "voice.amr", _heard(body)
            return (
                Attachment(AttachmentKind.AUDIO, name, "audio/amr", 0, code, voice=True, transcript=heard),
            )
        case "video":
            return (Attachment(AttachmentKind.VIDEO, "video.mp4", "video/mp4", 0, code),)
        case "file" | "unknownMsgType":
            name = safe_name(_string(body.get("fileName")))
            mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
            return (Attachment(kind_of(mime, name), name, mime, 0, code),)
    return ()


def _rich(entries: Json, us: str) -> DingTalkMessageContent:
    """Return words, names and pictures in any order; each picture is a file. `us` is not named."""
    if not isinstance(entries, list):
        raise TypeError("rich text that is no list")
    words: list[str] = []
    files: list[Attachment] = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        if _string(entry.get("type") or entry.get("msgType")) == "at":
            words.append(_mention(entry, us))
            continue
        words.append(_string(entry.get("text")) or _string(entry.get("content")))
        files += _picture(entry.get("downloadCode"), len(files) + 1)
    return DingTalkMessageContent("".join(words), files=tuple(files))


def _mention(entry: dict[str, Json], us: str) -> str:
    name = _string(entry.get("atName") or entry.get("text") or entry.get("content")).lstrip("@").strip()
    ids = (entry.get("atUserId"), entry.get("dingtalkId"))
    return f"@{name} " if name and (not us or us not in ids) else ""


def _picture(code: Json, number: int) -> tuple[Attachment, ...]:
    if not isinstance(code, str) or not code:
        return ()
    return (Attachment(AttachmentKind.IMAGE, f"picture_{number}.jpg", "image/jpeg", 0, code),)


def _words(value: Json, depth: int) -> Iterator[str]:
    """Return every text in a quoted body: plain ones, rich ones, and the trees of cards."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST:
        for name, entry in _entries(value):
            if name in _WORDS or not isinstance(entry, str):
                yield from _words(entry, depth + 1)


def _entries(value: Json) -> Iterable[tuple[str, Json]]:
    if isinstance(value, dict):
        return value.items()
    return [("", entry) for entry in value] if isinstance(value, list) else ()


def _string(value: Json) -> str:
    return value if isinstance(value, str) else ""
