"""Emphasis beside Chinese, Japanese and Korean text, which has no spaces for CommonMark's rule to find.

By that rule `**注意：**请` is no bold: its marks stand between punctuation and a letter. Here they open and
close as between two letters. For the parser, what stands beside them is hidden behind a sign of another kind,
character for character. The "CJK-friendly emphasis" amendment of CommonMark asks for the same.
"""

from __future__ import annotations

import re
import unicodedata

_MARKS = re.compile(r"\*+|~~")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_BEYOND = 0x20000
_ALSO_WIDE = frozenset("“”‘’…—·")
"""Punctuation that other scripts have, too."""
_LETTERS = range(0xE000, 0xE080)
"""Of private use, and so no punctuation to the parser."""
_PUNCTUATION = range(0x2E00, 0x2E4F)


def hide_neighbours(markdown: str) -> tuple[str, dict[int, str]]:
    """Return a text of as many characters in which such marks count, and what its stand-ins stand for."""
    if markdown.isascii() or ("*" not in markdown and "~~" not in markdown):
        return markdown, {}
    there = set(markdown)
    letters, punctuation = (
        [chr(code) for code in codes if chr(code) not in there] for codes in (_LETTERS, _PUNCTUATION)
    )
    stand_ins: dict[str, str] = {}
    signs = list(markdown)
    last = len(signs)
    for found in _MARKS.finditer(markdown):
        start, end = found.span()
        if start == 0 or end == last:
            continue
        before, after = markdown[start - 1], markdown[end]
        for place, sign, other in ((start - 1, before, after), (end, after, before)):
            pool = _pool_for(sign, other, letters, punctuation)
            if pool and sign not in stand_ins:
                stand_ins[sign] = pool.pop()
            if pool is not None and sign in stand_ins:
                signs[place] = stand_ins[sign]
    return "".join(signs), {ord(stand_in): sign for sign, stand_in in stand_ins.items()}


def _pool_for(sign: str, other: str, letters: list[str], punctuation: list[str]) -> list[str] | None:
    """Return what to hide a neighbour of marks behind: wide punctuation behind a letter, and a wide letter
    across from other punctuation behind punctuation. None where it stays."""
    if _is_punctuation(sign):
        return letters if _is_wide(sign) and not other.isspace() else None
    return punctuation if _is_wide(sign) and _is_punctuation(other) and not _is_wide(other) else None


def _is_wide(sign: str) -> bool:
    return sign in _ALSO_WIDE or ord(sign) >= _BEYOND or _WIDE.match(sign) is not None


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"
