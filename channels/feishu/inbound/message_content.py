"""What a message says: its `content` as text and files. Pure.

Every kind of message has a `content` of its own. Words become text, a rich text becomes markdown, what people
send instead of words becomes a note in brackets.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from parley.channels.feishu.inbound.special_content import special_text
from parley.channels.kit.fields import json_object
from parley.channels.kit.files import kind_of, safe_name
from parley.channels.kit.text import wellformed
from parley.core.model.attachments import Attachment, AttachmentKind
from parley.core.model.types import Json, JsonObject

MOST_DEPTH = 12
FORWARDED = "merge_forward"
"""The kind of a forwarded conversation, which does not say itself what is in it."""
_FILE_KINDS = frozenset({"image", "file", "audio", "media"})


@dataclass(frozen=True, slots=True)
class FeishuMessageContent:
    """A message's words, mentions still as Feishu's placeholders, and its files."""

    text: str = ""
    files: tuple[Attachment, ...] = ()


def read_content(kind: str, content: str, message: str) -> FeishuMessageContent:
    """Return what a message says; that of a forwarded conversation is no JSON. Raises ValueError."""
    return parse_content(kind, {} if kind == FORWARDED else json_object(content or "{}"), message)


def parse_content(kind: str, content: JsonObject, message: str) -> FeishuMessageContent:
    """Return what a message of this kind says; nothing for kinds that no person writes."""
    if kind == "text":
        return FeishuMessageContent(wellformed(_text(content, "text")))
    if kind == "post":
        return _post(content, message)
    if kind in _FILE_KINDS:
        found = _file(kind, content, message)
        return FeishuMessageContent() if found is None else FeishuMessageContent(files=(found,))
    if kind == "interactive":
        return FeishuMessageContent(wellformed("\n".join(_card_lines(dict(content), 0))))
    return FeishuMessageContent(wellformed(special_text(kind, content)).strip())


# Nothing else can be asked for, or stored.
_KEY = re.compile(r"[\w.-]+\Z", re.ASCII)


def _text(content: JsonObject, key: str) -> str:
    value = content.get(key)
    return value if isinstance(value, str) else ""


def _file(kind: str, content: JsonObject, message: str) -> Attachment | None:
    """Return a file that messages of this kind hold; Feishu never says how large it is."""
    key = _text(content, "image_key" if kind == "image" else "file_key")
    if not _KEY.match(key):
        return None
    defaults = {"image": "image.jpg", "audio": "voice.ogg", "media": "video.mp4"}
    default = defaults.get(kind, "file")
    name = safe_name(_text(content, "file_name"), default)
    mime = mimetypes.guess_type(name)[0] or mimetypes.guess_type(default)[0] or "application/octet-stream"
    what = {"image": AttachmentKind.IMAGE, "audio": AttachmentKind.AUDIO, "media": AttachmentKind.VIDEO}
    resource = "image" if kind == "image" else "file"
    handle = f"{resource}:{message}:{key}"
    # What Feishu calls audio is what somebody spoke; a sound file is sent as a file.
    spoken = kind == "audio"
    return Attachment(what.get(kind, kind_of(mime, name)), name, mime, 0, handle, voice=spoken)


def _post(content: JsonObject, message: str) -> FeishuMessageContent:
    """Return a rich text; what is received has no languages around it, what is fetched may."""
    body = content
    if "content" not in content:
        body = next((value for value in content.values() if isinstance(value, dict)), {})
    rows = body.get("content")
    lines, files = [], []
    for row in rows if isinstance(rows, list) else []:
        elements = [each for each in row if isinstance(each, dict)] if isinstance(row, list) else []
        lines.append("".join(_element(each) for each in elements))
        files += [file for each in elements if (file := _post_file(each, message)) is not None]
    title = _text(body, "title")
    whole = "\n".join(([title, ""] if title else []) + lines)
    return FeishuMessageContent(wellformed(whole).strip(), tuple(files))


_Spell: TypeAlias = Callable[[JsonObject], str]
_SPELLED: dict[str, _Spell] = {
    "text": lambda each: _text(each, "text"),
    "md": lambda each: _text(each, "text"),
    "a": lambda each: f"[{_text(each, 'text')}]({_text(each, 'href')})",
    "at": lambda each: "@all" if _text(each, "user_id") == "@_all" else _text(each, "user_id"),
    "emotion": lambda each: f":{_text(each, 'emoji_type')}:",
    "code_block": lambda each: f"```{_text(each, 'language').lower()}\n{_text(each, 'text').rstrip()}\n```",
    "hr": lambda each: "---",
}


def _element(each: JsonObject) -> str:
    spell = _SPELLED.get(_text(each, "tag"))
    return "" if spell is None else spell(each)


def _post_file(each: JsonObject, message: str) -> Attachment | None:
    kind = {"img": "image", "media": "media", "file": "file", "audio": "audio"}.get(_text(each, "tag"))
    return None if kind is None else _file(kind, each, message)


def _card_lines(value: Json, depth: int) -> list[str]:
    """Return the words of a card, wherever they stand in it."""
    if depth > MOST_DEPTH:
        return []
    if isinstance(value, list):
        return [line for each in value for line in _card_lines(each, depth + 1)]
    if not isinstance(value, dict):
        return []
    own = [_text(value, key) for key in ("title", "content", "text") if _text(value, key)]
    inner = ("header", "title", "body", "elements", "columns", "fields", "text", "content")
    return own + [line for key in inner for line in _card_lines(value.get(key), depth + 1)]
