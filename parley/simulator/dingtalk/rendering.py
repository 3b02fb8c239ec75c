"""What a client makes of markdown: the words without the marks, and which of them are code."""

from __future__ import annotations

import html
import re

_FENCE = re.compile(r"^([ \t>]*)(`{3,}|~{3,})[^\n]*$")
_CODE = re.compile(r"(?<!`)(`+)(?!`)((?:[^`\n]|\n(?!\n))+)\1(?!`)")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*\Z")
_HOLD = "\ue100{}\ue101"
_HELD = re.compile("\ue100(\\d+)\ue101")
_STEPS = (
    (re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)"), r"\1"),
    (re.compile(r"<(?!https?:|mailto:)/?[A-Za-z!?][^>]*>"), ""),
    (re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE), ""),
    (re.compile(r"^\s{0,3}>\s?", re.MULTILINE), ""),
    (re.compile(r"^(\s*)[-*+]\s+", re.MULTILINE), r"\1• "),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])"), r"\1"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
    (re.compile(r"[ ]{2,}$", re.MULTILINE), ""),
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def render(markdown: str) -> tuple[str, tuple[str, ...]]:
    """Return the words as shown, and every piece of code."""
    prose: list[str] = []
    code: list[str] = []
    shown: list[str] = []
    inside: list[str] | None = None
    marker = ""
    for line in markdown.split("\n"):
        fence = _FENCE.match(line)
        if inside is None and fence:
            shown += _flush(prose, code)
            inside, marker = [], fence[2]
        elif inside is not None and fence and fence[2].startswith(marker):
            code.append("\n".join(inside))
            shown += inside
            inside = None
        else:
            (prose if inside is None else inside).append(line)
    if inside is not None:
        code.append("\n".join(inside))
        shown += inside
    shown += _flush(prose, code)
    return "\n".join(shown), tuple(code)


def _flush(lines: list[str], code: list[str]) -> list[str]:
    """Prose rendered, line by line; the lines are taken."""
    if not lines:
        return []
    text = "\n".join(line for line in lines if not _RULE.match(line))
    lines.clear()
    held: list[str] = []

    def hold(words: str) -> str:
        held.append(words)
        return _HOLD.format(len(held) - 1)

    def span(match: re.Match[str]) -> str:
        code.append(match[2])
        return hold(match[2])

    text = _CODE.sub(span, text)
    text = _ESCAPE.sub(lambda match: hold(match[1]), text)
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    text = html.unescape(text)
    return [_HELD.sub(lambda match: held[int(match[1])], text)]
