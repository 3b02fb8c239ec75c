"""Marks on text: found in what people write, checked in what bots send. Offsets are UTF-16 units."""

from __future__ import annotations

import re

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.telegram.errors import bad_request
from parley.simulator.telegram.model import utf16

KNOWN = frozenset(
    {
        *("mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bold", "italic"),
        *("underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote", "code", "pre"),
        *("text_link", "text_mention", "custom_emoji"),
    }
)
MOST = 100
_FOUND = (
    ("url", re.compile(r"https?://[^\s<>]+")),
    ("bot_command", re.compile(r"(?<![\w/@])/[a-zA-Z0-9_]{1,32}(?:@[A-Za-z]\w{2,31})?\b")),
    ("mention", re.compile(r"(?<![\w/@])@[A-Za-z]\w{2,31}\b")),
)


def find_entities(text: str) -> list[Json]:
    """Return the links, commands and mentions in what somebody wrote, in order."""
    found: list[tuple[int, int, str]] = []
    for kind, pattern in _FOUND:
        for match in pattern.finditer(text):
            if not any(start < match.end() and match.start() < end for start, end, _ in found):
                found.append((match.start(), match.end(), kind))
    return [
        {"type": kind, "offset": utf16(text[:start]), "length": utf16(text[start:end])}
        for start, end, kind in sorted(found)
    ]


def check_entities(text: str, given: list[Json]) -> list[Json]:
    """Return the marks of a bot's text that the platform keeps. Raises TelegramErrorResponse for others."""
    borders, at = set(), 0
    for character in text:
        borders.add(at)
        at += utf16(character)
    borders.add(at)
    kept: list[Json] = []
    for entity in given:
        if not isinstance(entity, dict):
            raise bad_request("can't parse entities: expected an Object")
        kept.append(_checked(entity, at, borders))
    return kept[:MOST]


def _checked(entity: JsonObject, end: int, borders: set[int]) -> JsonObject:
    offset, length = entity.get("offset"), entity.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or entity.get("type") not in KNOWN:
        raise bad_request("can't parse entities: an entity has no known type, offset or length")
    if offset < 0 or length <= 0:
        raise bad_request("can't parse entities: negative offset or no length")
    if offset + length > end:
        raise bad_request(
            f"entity beginning at UTF-16 offset {offset} ends after the end of the text "
            f"at UTF-16 offset {end}"
        )
    if offset not in borders or offset + length not in borders:
        raise bad_request(f"entity beginning at UTF-16 offset {offset} begins or ends inside a symbol")
    if entity.get("type") == "text_link" and not entity.get("url"):
        raise bad_request("can't parse entities: a link has no URL")
    return entity
