"""What a message of an app says in blocks and attachments, as text with Slack's own marks. Pure.

It is not yet readable: names for ids, and `&` for `&amp;`, come with `readable_text` as for any other text.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from parley.channels.kit.fields import object_or_empty, text_or_empty
from parley.core.model.types import Json, JsonObject

MOST_DEPTH = 8
MOST_PARTS = 200
"""Of blocks, attachments, or elements of one of them."""
MOST_CHARS = 12_000
MOST_LINK = 500
_Read: TypeAlias = Callable[[JsonObject, int], str]


def app_words(message: JsonObject) -> str:
    """Return what a bot's message says: its blocks, or else its text, and its attachments."""
    shown = block_words(message.get("blocks")) or text_or_empty(message, "text")
    return _joined((shown, *map(_attachment_words, _objects(message.get("attachments")))))


def forwarded_words(message: JsonObject) -> str:
    """Return the messages that somebody forwarded with theirs, each after who wrote it."""
    if not message.get("attachments"):
        return ""
    return _joined(map(_share_words, _shares(message)))


def forwarded_files(message: JsonObject) -> list[Json]:
    """Return the files of messages that somebody forwarded with theirs."""
    if not message.get("attachments"):
        return []
    found = (share.get("files") for share in _shares(message))
    return [file for files in found if isinstance(files, list) for file in files]


def _shares(message: JsonObject) -> Iterator[JsonObject]:
    return (each for each in _objects(message.get("attachments")) if _is_share(each))


def _is_share(attachment: JsonObject) -> bool:
    """Tell whether an attachment is another message of Slack's, forwarded or linked to."""
    return bool(attachment.get("is_share") or attachment.get("is_msg_unfurl"))


def block_words(blocks: Json, depth: int = 0) -> str:
    """Return the words of blocks, a paragraph each. Buttons and dividers have none."""
    return _joined(_block(block, depth) for block in _objects(blocks))


def _attachment_words(attachment: JsonObject) -> str:
    """Return an attachment's words; nothing of a link's preview, which nobody wrote."""
    if attachment.get("from_url") and not _is_share(attachment):
        return ""
    title, link = text_or_empty(attachment, "title"), text_or_empty(attachment, "title_link")
    parts = [
        text_or_empty(attachment, "pretext"),
        text_or_empty(attachment, "author_name"),
        f"<{link}|{title}>" if title and link else title,
        text_or_empty(attachment, "text"),
        *(_field(field) for field in _objects(attachment.get("fields"))),
        block_words(attachment.get("blocks"), 1),
    ]
    return _joined(parts) or text_or_empty(attachment, "fallback")


def _share_words(share: JsonObject) -> str:
    """Return a forwarded message; its further lines are indented, so that none can pass for another one's."""
    who = text_or_empty(share, "author_name") or text_or_empty(share, "author_id")
    inner = (object_or_empty(each, "message") for each in _objects(share.get("message_blocks")))
    said = text_or_empty(share, "text") or _joined(block_words(each.get("blocks"), 1) for each in inner)
    said = said or text_or_empty(share, "fallback")
    who = _linked(who, text_or_empty(share, "from_url"))
    return (f"{who}: {said}" if who and said else said).strip().replace("\n", "\n  ")


def _linked(who: str, url: str) -> str:
    """Return a writer with a link to what they wrote, where Slack gives a sound one."""
    sound = url.startswith("https://") and len(url) <= MOST_LINK and not any(sign in url for sign in "<>|\n ")
    name = who.replace("<", "").replace(">", "").replace("\n", " ")
    return f"<{url}|{name}>" if sound and name.strip() else who


def _field(field: JsonObject) -> str:
    title, value = text_or_empty(field, "title"), text_or_empty(field, "value")
    return f"{title}: {value}" if title and value else title or value


def _block(block: JsonObject, depth: int) -> str:
    read = _BLOCKS.get(text_or_empty(block, "type"))
    return "" if read is None or depth > MOST_DEPTH else read(block, depth + 1)


def _text_object(block: JsonObject, depth: int) -> str:
    """Return the text of a block that has one, which may be an object with a text."""
    return text_or_empty(block, "text") or text_or_empty(object_or_empty(block, "text"), "text")


def _section(block: JsonObject, depth: int) -> str:
    fields = (text_or_empty(field, "text") for field in _objects(block.get("fields")))
    return _joined((_text_object(block, depth), *fields))


def _context(block: JsonObject, depth: int) -> str:
    elements = _objects(block.get("elements"))
    return " ".join(filter(None, (_text_object(each, depth) for each in elements)))


def _titled(block: JsonObject, depth: int) -> str:
    title = text_or_empty(object_or_empty(block, "title"), "text") or text_or_empty(block, "title")
    return title or text_or_empty(block, "alt_text")


def _table(block: JsonObject, depth: int) -> str:
    rows = block.get("rows")
    cells = [_objects(row) for row in (rows if isinstance(rows, list) else [])[:MOST_PARTS]]
    return "\n".join(" | ".join(_block(cell, depth) for cell in row) for row in cells)


def _lines(block: JsonObject, depth: int) -> str:
    return "\n".join(filter(None, (_block(each, depth) for each in _objects(block.get("elements")))))


def _run(block: JsonObject, depth: int) -> str:
    return "".join(_block(each, depth) for each in _objects(block.get("elements")))


def _list(block: JsonObject, depth: int) -> str:
    items = (_block(each, depth) for each in _objects(block.get("elements")))
    return "\n".join(f"• {item}" for item in items)


def _plain(element: JsonObject, depth: int) -> str:
    # In a rich text nothing is escaped.
    return html.escape(text_or_empty(element, "text"), quote=False)


def _link(element: JsonObject, depth: int) -> str:
    url, text = text_or_empty(element, "url"), _plain(element, depth)
    return f"<{url}|{text}>" if text else f"<{url}>"


_BLOCKS: dict[str, _Read] = {
    "header": _text_object,
    "markdown": _text_object,
    "section": _section,
    "context": _context,
    "image": _titled,
    "video": _titled,
    "table": _table,
    "raw_text": _plain,
    "rich_text": _lines,
    "rich_text_section": _run,
    "rich_text_quote": _run,
    "rich_text_preformatted": _run,
    "rich_text_list": _list,
    "text": _plain,
    "link": _link,
    "user": lambda each, depth: f"<@{text_or_empty(each, 'user_id')}>",
    "channel": lambda each, depth: f"<#{text_or_empty(each, 'channel_id')}>",
    "usergroup": lambda each, depth: f"<!subteam^{text_or_empty(each, 'usergroup_id')}>",
    "broadcast": lambda each, depth: f"<!{text_or_empty(each, 'range')}>",
    "emoji": lambda each, depth: f":{text_or_empty(each, 'name')}:",
}


def _objects(value: Json) -> Iterator[JsonObject]:
    entries = value[:MOST_PARTS] if isinstance(value, list) else []
    return (entry for entry in entries if isinstance(entry, dict))


def _joined(parts: Iterable[str]) -> str:
    """Return the parts that say anything, a line each, cut where it is too much for anybody."""
    found: list[str] = []
    length = 0
    for part in parts:
        if part.strip() and length < MOST_CHARS:
            found.append(part.strip()[: MOST_CHARS - length])
            length += len(found[-1]) + 1
    return "\n".join(found)
