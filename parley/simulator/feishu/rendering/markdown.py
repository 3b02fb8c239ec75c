"""Card markdown as a reader sees it: near to GitHub's, with HTML-like tags of the platform's own."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t>]*(`{3,}(?=[^`]*$)|~{3,})")
_DELIMITER = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^()\s]*)\)")
_MARKS = (
    (re.compile(r"\[([^\[\]]+)\]\((?:[^()\s]|\([^()\s]*\))+\)"), r"\1"),
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"\1"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),
    (re.compile(r"(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)"), r"\1"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~"), r"\1"),
)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")


@dataclass(frozen=True)
class Rendered:
    """What is read, and which of it is code."""

    text: str
    code: tuple[str, ...] = ()


def render(markdown: str) -> Rendered:
    """Return the text without its marks."""
    shown: list[str] = []
    code: list[str] = []
    block: list[str] | None = None
    fence = ""
    for line in markdown.split("\n"):
        opened = _FENCE.match(line)
        if block is None and opened is not None:
            block, fence = [], opened[1]
        elif block is not None and _closes(line, fence):
            code.append("\n".join(block))
            shown.extend(block)
            block = None
        elif block is not None:
            block.append(line)
        elif not (_DELIMITER.match(line) and "|" in line):
            shown.append(_line(line, code))
    if block is not None:
        code.append("\n".join(block))
        shown.extend(block)
    return Rendered("\n".join(shown), tuple(code))


def tables(markdown: str) -> int:
    """Return how many tables there are, code left aside."""
    count, fence, in_table, before = 0, "", False, ""
    for line in markdown.split("\n"):
        opened = _FENCE.match(line)
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened is not None:
            fence = opened[1]
        elif in_table:
            in_table = "|" in line
        elif _DELIMITER.match(line) and "|" in line and "|" in before:
            count, in_table = count + 1, True
        before = line
    return count


def foreign_images(markdown: str) -> list[str]:
    """Addresses of images that are not uploaded ones; the platform takes no card with these."""
    return [found[1] for found in _IMAGE.finditer(markdown) if not found[1].startswith("img_")]


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t>")
    return bare.startswith(fence) and not bare.strip(fence[0])


def _line(line: str, code: list[str]) -> str:
    line = re.sub(r"^\s{0,3}#{1,6}\s+", "", line)
    line = re.sub(r"^(\s*)[-*+]\s+", r"\1• ", line)
    line = re.sub(r"^\s{0,3}>\s?", "", line)
    if line.lstrip().startswith("|"):
        line = "  ".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    parts: list[str] = []
    at = 0
    for span in _CODE.finditer(line):
        parts += [_inline(line[at : span.start()]), span[2]]
        code.append(span[2])
        at = span.end()
    return "".join((*parts, _inline(line[at:])))


def _inline(text: str) -> str:
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[1])
        return f"\ue0f0{len(kept) - 1}\ue0f1"

    text = _ESCAPED.sub(keep, text)
    text = _TAG.sub("", text)
    for pattern, shown in _MARKS:
        text = pattern.sub(shown, text)
    text = re.sub("\ue0f0(\\d+)\ue0f1", lambda found: kept[int(found[1])], text)
    return html.unescape(text)
