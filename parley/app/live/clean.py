"""A record without secrets, names and words: ids are replaced alike, words by others of the same length."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from parley.core.model.types import Json

KINDS = frozenset(
    {
        *("kind", "method", "encoding", "type", "subtype", "tag", "msg_type", "msgKey", "msgtype", "topic"),
        *("message_type", "event_type", "chat_type", "channel_type", "conversationType", "status", "error"),
        *("code", "style", "schema", "mimetype", "mime_type", "content-type", "contentType", "specVersion"),
        *(
            "style",
            "element_id",
            "receive_id_type",
            "session_status",
            "file_access",
            "step",
            "heard",
            "title",
        ),
    }
)
"""Fields whose values are words of the platform; others hold words of people until the contrary is shown."""
_WORD = re.compile(r"[A-Za-z][A-Za-z_.:/+;= -]{0,60}(?:v?\d{1,2}(?:\.\d)?)?[A-Za-z_.:/-]{0,60}\Z")
_ID = re.compile(r"(?<![\w-])(?=[\w-]*\d)[\w-]{5,}(?:==?)?")
_TIME = re.compile(r"\d{9,19}(?:\.\d{1,9})?\Z")
_MOST_DEPTH = 40


class Cleaner:
    """Cleans the records of one recording. `ours` are texts that may stay."""

    def __init__(self, ours: Collection[str] = ()) -> None:
        self._ours = frozenset(ours)
        self._ids: dict[str, str] = {}
        self._numbers: dict[int, int] = {}

    def clean(self, value: Json, field: str = "", depth: int = 0) -> Json:
        """Return the same value with everything replaced that could say who or what."""
        if depth > _MOST_DEPTH:
            return None
        if isinstance(value, dict):
            return {self._name(name): self.clean(each, name, depth + 1) for name, each in value.items()}
        if isinstance(value, list):
            return [self.clean(each, field, depth + 1) for each in value]
        if isinstance(value, bool) or value is None or isinstance(value, float):
            return value
        return self._number(value) if isinstance(value, int) else self._text(value, field, depth)

    def path(self, path: str) -> str:
        """Return the path of an address, without ids and tokens."""
        return "/".join(self._segment(part) for part in path.split("/"))

    def _segment(self, part: str) -> str:
        if sum(each.isdigit() for each in part) < 3 and ":" not in part:
            return part
        return "bot0:TOKEN" if part.startswith("bot") and ":" in part else self._id(part)

    def _name(self, name: str) -> str:
        """Return the name of a field, which may be an id itself."""
        return _ID.sub(lambda found: self._id(found[0]), name) if sum(map(str.isdigit, name)) > 2 else name

    def _text(self, text: str, field: str, depth: int) -> str:
        if text in self._ours or not text or (field in KINDS and _WORD.match(text)):
            return text
        if text[:1] in "{[" and (inner := _decoded(text)) is not None:
            return json.dumps(self.clean(inner, field, depth + 1), ensure_ascii=False)
        if _TIME.match(text):
            return text
        pieces, last = [], 0
        for found in _ID.finditer(text):
            pieces += [_blank(text[last : found.start()]), self._id(found[0])]
            last = found.end()
        return "".join([*pieces, _blank(text[last:])])

    def _id(self, found: str) -> str:
        """Return what stands for an id: as long, with the same first letter, and always the same."""
        if found not in self._ids:
            number, first = str(len(self._ids) + 1), found[0] if found[0].isalpha() else ""
            self._ids[found] = first + number.zfill(len(found) - len(first))
        return self._ids[found]

    def _number(self, value: int) -> int:
        """Return what stands for a number that may be an id; times and small numbers stay."""
        size = abs(value)
        if size < 100_000 or 1_500_000_000 <= size < 2_500_000_000 or size >= 10**12:
            return value
        known = self._numbers.setdefault(size, 10 ** (len(str(size)) - 1) + len(self._numbers) + 1)
        return known if value > 0 else -known


def _blank(text: str) -> str:
    """Return letters as x, signs of other scripts as one of theirs, digits as 0; punctuation stays."""
    return "".join(
        ("字" if len(each.encode()) > 2 else "x")
        if each.isalpha()
        else "0"
        if each.isdigit()
        else each
        if ord(each) < 0x2000
        else "□"
        for each in text
    )


def _decoded(text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None
