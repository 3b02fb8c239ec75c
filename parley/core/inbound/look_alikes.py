"""Words as a reader takes them: letters that look like Latin ones are these, and accents are left out.

This is for comparing only. Of all that Unicode calls confusable it has what our own words need.
"""

from __future__ import annotations

import re
import unicodedata

COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
"""What stands on or behind another character, as a range of a regular expression."""

_COMBINING = re.compile(f"[{COMBINING}]+")
_LOOK_ALIKES = {
    "a": "\u0430\u03b1\u0251",
    "b": "\u044c",
    "c": "\u0441\u03f2",
    "d": "\u0501",
    "e": "\u0435\u03b5\u0454\u04bd",
    "f": "\u0192\u03dd\u0584",
    "h": "\u04bb\u0570",
    "i": "\u0131\u0456\u03b9\u0269",
    "l": "1|\u04cf\u01c0",
    "m": "\u043c",
    "n": "\u0578\u03b7",
    "o": "0\u043e\u03bf\u0585",
    "p": "\u0440\u03c1",
    "r": "\u0433\uab47",
    "s": "\u0455\u0282",
    "t": "\u0442\u03c4",
    "u": "\u03c5\u057d",
    "v": "\u0475\u03bd",
    "y": "\u0443\u03b3\u04af",
}
_LATIN = str.maketrans({each: letter for letter, others in _LOOK_ALIKES.items() for each in others})


def fold_look_alikes(text: str) -> str:
    """Return a text in small Latin letters, for comparing it with words of ours."""
    plain = (
        text.lower() if text.isascii() else _COMBINING.sub("", unicodedata.normalize("NFKD", text).casefold())
    )
    return plain.translate(_LATIN).replace("rn", "m")
