"""Texts to try markdown on: any pieces of it in any order with numbered words between, and huge ones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import strategies as st

WORD = "\0word"
_BLOCKS = (
    "\n\n",
    "\n",
    "# ",
    "- ",
    "1. ",
    "> ",
    "    ",
    "- [x] ",
    "---\n",
    "| ",
    " |\n",
    "|---|---|\n",
    "|\n",
)
_INLINE = ("**", "*", "_", "~~", "`", "``", "\\", "[", "](http://a.b/c)", "](./d)", "![", "]", ")", "<", ">")
_FENCES = ("\n```py\n", "\n```\n", "\n~~~\n", "\n  ```\n", "\n````\n")
_OTHER = (
    "<b>",
    "</div>\n",
    "<https://e.f>",
    "&lt;",
    "&",
    "é",
    "漢字。",
    "👍🏽",
    "\r\n",
    "\t",
    "||",
    "$$",
    "^",
    "!",
)
_REFERENCES = ("\n\n[a]: http://g.h\n\n", "[a]", "[^1]", "\n\n[^1]: ", "\n[nobody]: ")
CALLS = (
    *(
        "<!channel>",
        "<!here|x>",
        "<@U012AB3CD>",
        "<#C012AB3CD>",
        "<!subteam^S1>",
        "<at id=all></at>",
        "@bob ",
    ),
    *('<at user_id="ou_1">x</at>', "@all ", "@所有人", "[x](tg://user?id=1)", "[y](dtmd://z)", "@", "bob "),
    *(
        "https://m.n/@bob ",
        "<!",
        "channel>",
        "<AT ",
        "\\<at id=all>",
        "(@bob)",
        "`@bob`",
        '](http://a.b "<at id=all>")',
    ),
)
PIECES = (WORD, WORD, WORD, " ", *_BLOCKS, *_INLINE, *_FENCES, *_OTHER, *_REFERENCES)

pieces = st.lists(st.sampled_from(PIECES), max_size=40)
"""Pieces of markdown in any order."""
calling = st.lists(st.sampled_from((*PIECES, *CALLS, *CALLS)), max_size=30)
"""The same, with what would call people somewhere."""


def cooked(parts: Sequence[str], times: int = 1) -> str:
    """The pieces so many times over as a text, each of its words another one."""
    shown: list[str] = []
    for number, part in enumerate((*parts,) * times):
        shown.append(f"w{number}q" if part == WORD else part)
    return "".join(shown)


def numbered(text: str) -> list[str]:
    """The numbered words in a text."""
    return re.findall(r"w\d+q", text)


def in_order(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Whether all that is wanted is there in its order; what is repeated may be there more often."""
    rest = iter(found)
    return all(word in rest for word in wanted)


def titled(text: str) -> set[str]:
    """Words that may go: after the language of a block of code, and definitions of references (`[a]: b`)."""
    lines = [line for line in text.splitlines() if "```" in line or "~~~" in line]
    return set(numbered("\n".join(lines)))


HUGE = {
    "brackets": "[" * 25_000,
    "brackets closed": "[" * 12_500 + "x" + "]" * 12_500,
    "pictures": "![a" * 7_500 + "](b)" * 125,
    "parentheses": "[](" + "(" * 12_500 + ")" * 12_500,
    "stars": "*" * 25_000,
    "stars and words": "*a **b " * 3_500,
    "underscores": "_a*" * 7_500,
    "angles": "<" * 25_000,
    "tags": "<a " * 7_500,
    "references": "&#60" * 6_250,
    "backticks": " ".join("`" * count for count in range(1, 220)),
    "lone backticks": "`a " * 8_250,
    "fences": "```\n" * 6_250,
    "open fence": "```py\n" + "x = 1\n" * 4_000,
    "longest fence": "`" * 12_500 + "\nx",
    "deep quote": "> " * 2_500 + "x",
    "deep list": "- " * 2_500 + "x",
    "deep both": "> - " * 2_500 + "x",
    "deep indents": "".join(" " * depth + "- a\n" for depth in range(200)),
    "long table": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 2_250,
    "wide table": "|a" * 2_250 + "|\n" + "|-" * 2_250 + "|\n" + "|x|\n" * 2_250,
    "many tables": "|a|b|\n|-|-|\n|c|d|\n\n" * 1_000,
    "definitions": "[a]: b\n" * 3_500 + "[a]" * 125,
    "footnotes": "[^1]: a\n" * 2_500 + "[^1]" * 250,
    "lines": "a\r\n" * 7_500,
    "blanks": " \n" * 12_500,
    "one word": "x" * 25_000,
    "emoji": "👨‍👩‍👧‍👦" * 3_000,
    "at signs": "@a " * 7_500,
    "addresses": "https://" * 3_125 + "@b",
    "nulls": "a\0b" * 7_500,
    "half surrogates": "a\ud83d b\udc00" * 5_000,
    "backslashes": "\\" * 25_000,
    "controls": "".join(map(chr, range(32))) * 750 + "<",
}
"""Tens of thousands of characters each of what has brought parsers down: how time grows, attacks tell."""
