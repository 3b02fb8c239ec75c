"""The arguments of an action as people read them: plain values with labels, nested ones as indented text.

Whoever approves must see what will happen, whatever the values are. So a value always stands in code, where
no markdown works and no line of it passes for another field, and what would be invisible, or would turn the
order of the letters around, is written as its code point.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from parley.core.model.types import Json

_MOST_INLINE = 200
_MOST_LABEL = 60
_DEEPEST = 8
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u115f\u1160\u200b\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)


def format_arguments(arguments: str, most: int) -> tuple[str, bool]:
    """JSON text as markdown, its values cut to about `most` characters; whether that is all of it."""
    try:
        value: Json = json.loads(arguments)
        fields = list(_fields(value)) if isinstance(value, dict) and value else [_field("", value)]
    except (ValueError, RecursionError):
        fields = [("", _text(arguments))]
    parts, left = list[str](), most
    for label, text in fields:
        if left <= 0:
            return "\n\n".join(parts), False
        cut = text if len(text) <= left else f"{text[:left]}…"
        parts.append(f"{label} {_code(cut)}" if label and _fits_a_line(cut) else _block(label, cut))
        left -= len(label) + len(text)
    return "\n\n".join(parts), left >= 0


def _fields(arguments: dict[str, Json]) -> Iterator[tuple[str, str]]:
    labels = Counter(_spoken(key) for key in arguments)
    for key, value in arguments.items():
        label = _spoken(key)
        yield _field(label if label and labels[label] == 1 else _code(_quoted(key)), value)


def _field(label: str, value: Json) -> tuple[str, str]:
    bold = f"**{label}:**" if label else ""
    if isinstance(value, str):
        return bold, _text(value) if value.strip() else json.dumps(value)
    return bold, "\n".join(_lines(value, 0)) if _nested(value) else _scalar(value)


def _spoken(key: str) -> str:
    """Return a key as the name of a field; "" for one that is not made of words."""
    plain = key.replace("_", "").replace("-", "")
    if not plain.isalnum() or len(key) > _MOST_LABEL:
        return ""
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _lines(value: Json, depth: int) -> Iterator[str]:
    """Yield a nested value, a line for each plain one in it; what is very deep stands on one line."""
    pad = "  " * depth
    if depth >= _DEEPEST:
        yield pad + _text(json.dumps(value, ensure_ascii=False))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _entry(f"{pad}{_quoted(key)}:", each, depth)
    elif isinstance(value, list):
        for each in value:
            yield from _entry(f"{pad}-", each, depth)


def _entry(start: str, value: Json, depth: int) -> Iterator[str]:
    if _nested(value):
        yield start
        yield from _lines(value, depth + 1)
    else:
        yield f"{start} {_scalar(value)}"


def _nested(value: Json) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _scalar(value: Json) -> str:
    """Return a plain value on one line. A text with line breaks is quoted, so that each line is a field."""
    if isinstance(value, str) and value.strip() == value and value and "\n" not in value:
        return _text(value)
    return _text(json.dumps(value, ensure_ascii=False))


def _quoted(key: str) -> str:
    plain = key.isprintable() and key.strip() == key and key and "`" not in key
    text = _text(key if plain else json.dumps(key).replace("`", "\\u0060"))
    return text if len(text) <= _MOST_INLINE else f"{text[:_MOST_INLINE]}…"


def _text(text: str) -> str:
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\r\n", "\n"))


def _fits_a_line(text: str) -> bool:
    return len(text) <= _MOST_INLINE and "\n" not in text and "`" not in text


def _code(text: str) -> str:
    return f"`{text}`"


def _block(label: str, text: str) -> str:
    # A fence in the text would end ours: such a text is quoted, and so is on one line.
    body = json.dumps(text, ensure_ascii=False) if "```" in text or "~~~" in text else text
    return f"{label}\n```\n{body}\n```".lstrip("\n")
