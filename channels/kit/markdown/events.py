"""The parser's events, bounded, with offsets in characters. HTML is words: no chat draws it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

import pyromark

from parley.channels.kit.markdown.cjk import hide_neighbours

MOST_EVENTS = 100_000
"""More than many long answers make; a table that lacks most of its cells makes as many of little text."""
_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
)
_READER = pyromark.Markdown(options=_OPTIONS)
# A `<` that begins neither <https://a.link> nor the address of one is hidden from the parser behind a control
# character of the same size that the text has not: after `<div>` it would take what follows for no markdown.
_TAG = re.compile(r"(?<!\]\()<(?!(?:https?://|mailto:)[^\s<>]*>)")
_LEADS = bytes(byte & 0xC0 != 0x80 for byte in range(256))
_SIGNS = {"Start": "+", "End": "-"}
_STAND_INS = "\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12"


class ParserEvent(NamedTuple):
    """One thing in the source. `name` is `+Name` where a Name begins, `-Name` where it ends."""

    name: str
    value: object
    start: int
    end: int


def has_table(markdown: str) -> bool:
    """Tell whether there is a table in it."""
    return "|" in markdown and any(event.name == "+Table" for event in parse_events(markdown))


def parse_events(markdown: str) -> list[ParserEvent]:
    """What the parser finds, in order; a text that makes more events than any honest one is one paragraph."""
    stand_in = next((sign for sign in _STAND_INS if sign not in markdown), "") if "<" in markdown else ""
    guarded, hidden = hide_neighbours(_TAG.sub(stand_in, markdown) if stand_in else markdown)
    if stand_in:
        hidden[ord(stand_in)] = "<"
    data = guarded.encode("utf-8", "replace")
    # How many characters are before each byte; of ASCII as many.
    place = () if data.isascii() else tuple(accumulate(data.translate(_LEADS), initial=0))
    found: list[ParserEvent] = []
    for raw, where in _READER.events_with_range(data.decode(), merge_text=True):
        if len(found) == MOST_EVENTS:
            return _plain(markdown)
        start, end = where["start"], where["end"]
        if place:
            start, end = place[start], place[end]
        name, value = _named(raw)
        if hidden and value is not None:
            value = _restored(value, hidden)
        found.append(ParserEvent(name, value, start, end))
    return found


def _plain(text: str) -> list[ParserEvent]:
    end = len(text)
    return [
        ParserEvent("+Paragraph", None, 0, end),
        ParserEvent("Text", text, 0, end),
        ParserEvent("-Paragraph", None, 0, end),
    ]


def _named(raw: object) -> tuple[str, object]:
    if not isinstance(raw, dict):
        return str(raw), None
    ((name, value),) = raw.items()
    sign = _SIGNS.get(name)
    if sign is None:
        return name, value
    if isinstance(value, str):
        return sign + value, None
    ((kind, detail),) = value.items()
    return sign + kind, detail


def _restored(value: object, hidden: Mapping[int, str]) -> object:
    if isinstance(value, str):
        return value.translate(hidden)
    if isinstance(value, dict):
        return {key: _restored(each, hidden) for key, each in value.items()}
    return value
