"""The words and files of a message, of every kind there is. Pure."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from parley.channels.dingtalk.sdk import ChatbotMessage, TextContent
from parley.channels.kit.files import kind_of, safe_name
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import Json

_MOST_QUOTED = 4000
_DEEPEST = 8
_WORDS = ("text", "content", "title", "markdown", "msgContent")


@dataclass(frozen=True, slots=True)
class DingTalkMessageContent:
    """Words, what they quote, and files whose handles are DingTalk's download codes."""

    text: str = ""
    quoted: str = ""
    files: tuple[Attachment, ...] = field(default=())


def parse_content(message: ChatbotMessage) -> DingTalkMessageContent:
    """Return what a message holds; nothing for kinds that nobody knows. Raises ValueError, TypeError."""
    match message.message_type:
        case "text":
            return _text(message.text)
        case "richText":
            return _rich(message.rich_text_content.rich_text_list)
        case "picture":
            return DingTalkMessageContent(files=_picture(message.image_content.download_code, 1))
    # The SDK keeps the bodies of other kinds as they came.
    body = message.extensions.get("content")
    return _other(str(message.message_type), body if isinstance(body, dict) else {})


def _text(text: TextContent) -> DingTalkMessageContent:
    """Return words, and what they answer: of that, the words and the files."""
    replied = text.extensions.get("repliedMsg")
    if not isinstance(replied, dict):
        return DingTalkMessageContent(_string(text.content))
    kind, content = _string(replied.get("msgType")), replied.get("content")
    words = "\n".join(_words(content, 0))[:_MOST_QUOTED]
    body = content if isinstance(content, dict) else {}
    files = _picture(body.get("downloadCode"), 1) if kind == "picture" else _other(kind, body).files
    return DingTalkMessageContent(_string(text.content), words, files)


def _other(kind: str, body: dict[str, Json]) -> DingTalkMessageContent:
    code = body.get("downloadCode")
    heard = _string(body.get("recognition"))
    if kind == "audio" and heard.strip():
        return DingTalkMessageContent(heard)
    if not isinstance(code, str) or not code:
        return DingTalkMessageContent()
    match kind:
        case "audio":
            return DingTalkMessageContent(
                files=(Attachment(AttachmentKind.AUDIO, "voice.amr", "audio/amr", 0, code),)
            )
        case "video":
            return DingTalkMessageContent(
                files=(Attachment(AttachmentKind.VIDEO, "video.mp4", "video/mp4", 0, code),)
            )
        case "file":
            name = safe_name(_string(body.get("fileName")))
            mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
            return DingTalkMessageContent(files=(Attachment(kind_of(mime, name), name, mime, 0, code),))
    return DingTalkMessageContent()


def _rich(entries: Json) -> DingTalkMessageContent:
    """Return words and pictures in any order; each picture is a file."""
    if not isinstance(entries, list):
        raise TypeError("rich text that is no list")
    words: list[str] = []
    files: list[Attachment] = []
    for entry in entries:
        if isinstance(entry, dict):
            words.append(_string(entry.get("text")))
            files += _picture(entry.get("downloadCode"), len(files) + 1)
    return DingTalkMessageContent("".join(words), files=tuple(files))


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
