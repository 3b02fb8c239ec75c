"""The marks on people's words as markdown: links behind words, code, quotes, and what is set off. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from telegram import MessageEntity
from telegram.constants import MessageEntityType as Kind

MOST_MARKS = 200
MOST_URL = 2000
_AROUND = {Kind.BOLD: "**", Kind.ITALIC: "_", Kind.STRIKETHROUGH: "~~"}
_QUOTES = (Kind.BLOCKQUOTE, Kind.EXPANDABLE_BLOCKQUOTE)

Spans = Sequence[tuple[int, int]]


class MarkedText:
    """A text, measured in UTF-16 units as Telegram does, into which marks are put."""

    def __init__(self, text: str) -> None:
        self._raw = text.encode("utf-16-le", "surrogatepass")
        self._length = len(self._raw) // 2
        # What goes in at a place: `before` closes what ends there, `after` opens what begins.
        self._closing: dict[int, list[str]] = {}
        self._opening: dict[int, list[str]] = {}
        self._quoted_up_to = 0

    def words(self, start: int, end: int) -> str:
        """Return what is written between two places."""
        return self._raw[2 * start : 2 * end].decode("utf-16-le", "replace")

    def mark(self, entities: Sequence[MessageEntity], but: Spans) -> None:
        """Note the marks of a text, those on the spans of `but` aside."""
        wide_first = sorted(entities, key=lambda each: (each.offset, -each.length))
        for entity in islice(wide_first, MOST_MARKS):
            start, end = entity.offset, entity.offset + entity.length
            if 0 <= start < end <= self._length and not _within((start, end), but):
                self._note(entity, start, end)

    def with_marks(self, spans: Spans) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the text with its marks, and where the spans are in it."""
        pieces, shifts, at = [], [], 0
        grown = 0
        for place in sorted({*self._closing, *self._opening}):
            pieces.append(self.words(at, place))
            closing = "".join(self._closing.get(place, ())[::-1])
            opening = "".join(self._opening.get(place, ()))
            pieces.append(closing + opening)
            shifts.append((place, grown, grown + _units(closing + opening)))
            grown, at = shifts[-1][2], place
        pieces.append(self.words(at, self._length))
        return "".join(pieces), tuple(_shifted(span, shifts) for span in spans)

    def _note(self, entity: MessageEntity, start: int, end: int) -> None:
        start, end = self._tight(start, end)
        words = self.words(start, end)
        if not words:
            return
        if entity.type in _QUOTES:
            self._quote(start, end)
        elif entity.type == Kind.PRE:
            self._fence(entity.language or "", start, end)
        elif (around := _around(entity, words)) is not None:
            self._opening.setdefault(start, []).append(around[0])
            self._closing.setdefault(end, []).append(around[1])

    def _tight(self, start: int, end: int) -> tuple[int, int]:
        """Return a span without the blanks at its ends, on which marks do not work."""
        words = self.words(start, end)
        lead = _units(words) - _units(words.lstrip())
        return start + lead, max(start + lead, end - _units(words) + _units(words.rstrip()))

    def _fence(self, language: str, start: int, end: int) -> None:
        fence = "`" * max(3, _longest_run(self.words(start, end)) + 1)
        name = language if language.isascii() and language.isprintable() and len(language) <= 32 else ""
        name = "" if " " in name or "`" in name else name
        self._opening.setdefault(start, []).append(f"{self._line_before(start)}{fence}{name}\n")
        self._closing.setdefault(end, []).append(f"\n{fence}{self._line_after(end)}")

    def _quote(self, start: int, end: int) -> None:
        # Telegram has no quotes in quotes.
        if start < self._quoted_up_to:
            return
        self._quoted_up_to = end
        self._opening.setdefault(start, []).append(f"{self._line_before(start)}> ")
        at = start
        for line in self.words(start, end).split("\n")[:-1]:
            at += _units(line) + 1
            self._opening.setdefault(at, []).append("> ")
        if after := self._line_after(end):
            self._closing.setdefault(end, []).append(after)

    def _line_before(self, place: int) -> str:
        return "\n" if place > 0 and self.words(place - 1, place) != "\n" else ""

    def _line_after(self, place: int) -> str:
        return "\n" if place < self._length and self.words(place, place + 1) != "\n" else ""


def _around(entity: MessageEntity, words: str) -> tuple[str, str] | None:
    """Return what stands before and after marked words, nothing for marks that say nothing."""
    if entity.type == Kind.CODE:
        fence = "`" * (_longest_run(words) + 1)
        room = " " if words.startswith("`") or words.endswith("`") else ""
        return fence + room, room + fence
    if entity.type == Kind.TEXT_LINK:
        url = (entity.url or "")[:MOST_URL]
        plain = url.isprintable() and not any(sign in url for sign in "<> ")
        if not plain or not url or words in (url, url.removesuffix("/")):
            return None
        return "[", f"](<{url}>)" if "(" in url or ")" in url else f"]({url})"
    sign = _AROUND.get(entity.type) if isinstance(entity.type, Kind) else None
    return (sign, sign) if sign and "\n" not in words else None


def _within(span: tuple[int, int], spans: Spans) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _shifted(span: tuple[int, int], shifts: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return where a span is once marks are in: what begins at its start is before it, also at its end."""
    start = max((after for place, _, after in shifts if place <= span[0]), default=0)
    end = max((after for place, _, after in shifts if place < span[1]), default=0)
    return span[0] + start, span[1] + end


def _longest_run(words: str) -> int:
    runs = _runs(words)
    return max(runs, default=0)


def _runs(words: str) -> Iterator[int]:
    count = 0
    for sign in words:
        count = count + 1 if sign == "`" else 0
        yield count


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
