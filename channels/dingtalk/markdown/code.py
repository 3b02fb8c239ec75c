"""Code for readers whose markdown has none: blocks as quotes, and code in a line in bold."""

from __future__ import annotations

from collections.abc import Iterator

from parley.channels.kit.markdown.outline import CodeSpan, FenceSpan, Outline
from parley.channels.kit.markdown.rewrite import TextChange, TextEdit

_FIXED = "\u00a0"
"""A space that stays: it keeps indents, and what begins a line from being a heading or a list."""


def code_as_quotes(text: str, found: Outline, escape: TextChange) -> Iterator[TextEdit]:
    """Return every piece of code, its words escaped as elsewhere in the text."""
    for fence in found.fences:
        yield TextEdit(fence.start, fence.end, _quoted(_lines(text, fence), escape, text[fence.end :][:1]))
    for code in found.codes:
        yield _in_line(text, code, escape)


def _lines(text: str, fence: FenceSpan) -> list[str]:
    body = text[fence.body : fence.close].removesuffix("\n")
    lines = [line.removeprefix(fence.indent) for line in body.split("\n")]
    return [fence.info.strip(), *lines] if fence.info.strip() else lines


def _quoted(lines: list[str], escape: TextChange, after: str) -> str:
    """Return a quote with an empty line before and after it, of which `after` may be one."""
    quote = "\n".join(f"> {_FIXED}{_indented(escape(line))}  " for line in lines)
    return f"\n{quote}\n" if after in ("", "\n") else f"\n{quote}\n\n"


def _in_line(text: str, code: CodeSpan, escape: TextChange) -> TextEdit:
    source = text[code.start : code.end]
    if not source.startswith("`"):
        return TextEdit(code.start, code.end, _quoted(source.rstrip("\n").split("\n"), escape, "."))
    marks = len(source) - len(source.lstrip("`"))
    words = " ".join(source[marks:-marks].split())
    shown = words if not words or "*" in words else f"**{escape(words)}**"
    return TextEdit(code.start, code.end, shown if words else source)


def _indented(line: str) -> str:
    words = line.expandtabs(4).lstrip(" ")
    return _FIXED * (len(line.expandtabs(4)) - len(words)) + words
