"""A source with little changes, for chats that read markdown themselves: code, links and the rest apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from parley.channels.kit.markdown.outline import CodeSpan, FenceSpan, LinkSpan, Outline

_ANGLE = re.compile(r"(\\[^<])|\\?<", re.DOTALL)

TextChange: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """What stands in a text from `start` to `end`, and what is to stand there."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class LinkPolicy:
    """What links and pictures a chat takes: addresses that begin so, as given in lower case."""

    links: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    bare: bool = False
    """Whether <https://a.link> may stand."""


def apply_edits(source: str, edits: Iterable[TextEdit], rest: TextChange = str) -> str:
    """Return the source with these edits, and everything between them changed. Edits must not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start >= at:
            pieces += (rest(source[at : edit.start]), edit.text)
            at = edit.end
    return "".join((*pieces, rest(source[at:])))


def escape_tags(text: str, angle: str) -> str:
    """Return the text with every `<` written as `angle`, a character reference; `\\<` is one too."""
    return _ANGLE.sub(lambda match: match[1] or angle, text) if "<" in text else text


def rewrite_code(source: str, found: Outline, change: TextChange = str) -> Iterator[TextEdit]:
    """Return the code of a text, changed."""
    parts: tuple[FenceSpan | CodeSpan, ...] = (*found.fences, *found.codes)
    for part in parts:
        yield TextEdit(part.start, part.end, change(source[part.start : part.end]))


def rewrite_links(source: str, found: Outline, taken: LinkPolicy, rest: TextChange) -> Iterator[TextEdit]:
    """Links and pictures that the chat does not take as their words and addresses, no address ever lost."""
    for anchor in found.anchors:
        if anchor.bare:
            yield TextEdit(anchor.start, anchor.end, _bare(source, anchor, taken, rest))
        elif _stands(source, anchor, taken):
            yield TextEdit(anchor.words_end, anchor.end, source[anchor.words_end : anchor.end])
        else:
            yield from _opened(source, anchor, taken, rest)


def _bare(source: str, anchor: LinkSpan, taken: LinkPolicy, rest: TextChange) -> str:
    if taken.bare:
        return source[anchor.start : anchor.end]
    return f"[{rest(source[anchor.words_start : anchor.words_end])}]({_quoted(anchor.address)})"


def _stands(source: str, anchor: LinkSpan, taken: LinkPolicy) -> bool:
    starts = taken.pictures if anchor.picture else taken.links
    return anchor.address.lower().startswith(starts) and "<" not in source[anchor.words_end : anchor.end]


def _opened(source: str, anchor: LinkSpan, taken: LinkPolicy, rest: TextChange) -> Iterator[TextEdit]:
    link = not anchor.nested and anchor.address.lower().startswith(taken.links)
    empty = not source[anchor.words_start : anchor.words_end].strip()
    # Brackets in an address that stands among words would be read as a link of their own.
    address = rest(anchor.address.replace("[", "%5B").replace("]", "%5D"))
    words = address if empty else ""
    tail = f"]({_quoted(anchor.address)})" if link else f" ({address})"
    yield TextEdit(anchor.start, anchor.words_start, "[" if link else "")
    yield TextEdit(anchor.words_end, anchor.end, words + (tail if link or not empty else ""))


def _quoted(address: str) -> str:
    """Return an address as it may stand in the brackets of a link."""
    return "".join(_SIGNS.get(sign, sign) for sign in address)


_SIGNS = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", "\n": "%0A"}
