"""Text cut to a platform's limit at natural borders: paragraph, line, sentence, word, visible character."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import TypeAlias

Measure: TypeAlias = Callable[[str], int]
"""The length of a text in a platform's unit; a character never measures less than one."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"[.!?…]['\")\]”’]*\s+|[。！？；]+[”’」』）]*")
# A border is taken only where the part before it fills this share of the room: no tiny parts.
_BORDERS = ((_PARAGRAPH, 0.5), (_LINE, 0.4), (_SENTENCE, 0.4))
# Nobody sets more flags in a row; where somebody does, one may be torn.
_MOST_IN_FLAGS = 512
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")
_NO_SPACES = re.compile(r"[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff]")


def utf16_length(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def byte_length(text: str) -> int:
    """Count UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def wellformed(text: str) -> str:
    """Return the text without what no store and no wire takes: lone surrogates become U+FFFD, NULs go."""
    if text.isascii():
        return text.replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


def shorten(text: str, most: int) -> str:
    """Return a text of at most `most` characters, the last a sign that there were more."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def end_within(text: str, start: int, limit: int, measure: Measure) -> int:
    """Return the largest end for which `text[start:end]` measures at most `limit`; at least one character."""
    low, high = start + 1, min(len(text), start + limit)
    while low < high:
        middle = (low + high + 1) // 2
        if measure(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle - 1
    return low


def break_position(text: str, start: int, limit: int, measure: Measure) -> int:
    """Return where to end a part of `text` that begins at `start` and has room for `limit`."""
    end = end_within(text, start, limit, measure)
    if end == len(text):
        return end
    for pattern, share in _BORDERS:
        last = max((match.end() for match in pattern.finditer(text, start, end)), default=start)
        if last - start >= share * (end - start) and not _joined(text, last):
            return last
    return _word_border(text, start, end) or _visible_border(text, start, end)


def chunks(text: str, limit: int, measure: Measure = len) -> Iterator[str]:
    """Return parts of plain text, each at most `limit`, that joined are the text again."""
    start = 0
    while start < len(text):
        end = break_position(text, start, limit, measure)
        yield text[start:end]
        start = end


def _word_border(text: str, start: int, end: int) -> int:
    """Return the last place not inside a word, 0 for none; scripts without spaces are cut between signs."""
    for place in range(end, start, -1):
        before, after = text[place - 1], text[place]
        free = before.isspace() or after.isspace() or _NO_SPACES.match(before) or _NO_SPACES.match(after)
        if free and not _joined(text, place):
            return place
    return 0


def _visible_border(text: str, start: int, end: int) -> int:
    """Return the last place not inside what a reader sees as one character, or `end` when there is none."""
    for place in range(end, max(start, end - 64), -1):
        if not _joined(text, place):
            return place
    return end


def _joined(text: str, place: int) -> bool:
    """Tell whether the characters around `place` make one visible character."""
    before, after = text[place - 1], text[place]
    if after.isascii():
        return before == "\r" and after == "\n"
    if before == "\u200d" or after in _JOINERS or unicodedata.category(after) in ("Mn", "Mc", "Me"):
        return True
    return _continues(after) or (_is_flag(before) and _is_flag(after) and _flags_before(text, place) % 2 == 1)


def _continues(character: str) -> bool:
    """Tell skin tones, tag letters of regional flags, and the later letters of a Hangul syllable."""
    code = ord(character)
    return 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F or 0x1160 <= code <= 0x11FF


def _is_flag(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF


def _flags_before(text: str, place: int) -> int:
    count = 0
    while count < min(place, _MOST_IN_FLAGS) and _is_flag(text[place - count - 1]):
        count += 1
    return count
