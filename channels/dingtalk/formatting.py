"""Markdown as DingTalk shows it, in parts that fit into one of its requests."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from parley.channels.dingtalk.markdown.code import code_as_quotes
from parley.channels.dingtalk.markdown.tables import tables_as_lists
from parley.channels.kit.markdown.outline import outline
from parley.channels.kit.markdown.rewrite import (
    LinkPolicy,
    TextEdit,
    apply_edits,
    rewrite_code,
    rewrite_links,
)
from parley.channels.kit.markdown.split import split
from parley.channels.kit.steps import step_lines
from parley.channels.kit.text import byte_length, chunks, wellformed
from parley.core.model.types import Step

MAX_PART_BYTES = 14_300
"""Bytes of a plain message's text as the wire has it: groups take 15,000 with the title, people take more."""
CARD_PART = 2_800
"""Characters of a card's text: above some 3,000 clients show a blank card, and nobody is told."""
VARIABLE_BYTES = 1_000
"""Bytes of a card's variable that does not grow; 1 KB is documented."""
_TITLE = 50

# DingTalk's markdown knows HTML and drops what it takes for a tag.
_TAG = re.compile(r"(\\[^<])|\\?<(?=[A-Za-z/!?])", re.DOTALL)
_ALL = re.compile(r"@(?=all\b|everyone\b|所有人)", re.IGNORECASE)
# A link of its own (dtmd://) would have whoever presses it say things; other chats' would lead nowhere.
_TAKEN = LinkPolicy(("http://", "https://", "mailto:", "tel:"), pictures=("http://", "https://"), bare=True)
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_NOISE = re.compile(r"[#*_`>|~\[\]]+")


def wire_bytes(text: str) -> int:
    """Return how many bytes a text takes in a request, where it is JSON within JSON."""
    if _CONTROL.search(text):
        return len(json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False).encode()) - 6
    return byte_length(text) + 3 * (text.count('"') + text.count("\\")) + 2 * text.count("\n")


def card_parts(markdown: str) -> tuple[str, ...]:
    """Return Markdown as the texts of cards, which show nearly all of it; nothing for a blank one."""
    return split(_safe(wellformed(markdown)), CARD_PART)


def variable_parts(markdown: str) -> tuple[str, ...]:
    """Return Markdown as the values of a variable that does not grow, one card after the other."""
    return split(_safe(wellformed(markdown)), VARIABLE_BYTES, wire_bytes)


def plain_parts(markdown: str) -> tuple[str, ...]:
    """Return Markdown as plain robot messages, which show no tables or code and run lines together."""
    return split(_listed(_safe(wellformed(markdown))), MAX_PART_BYTES, wire_bytes)


def card_to_plain(parts: Sequence[str]) -> tuple[str, ...]:
    """Return texts that were meant for cards as plain messages."""
    return tuple(piece for part in parts for piece in split(_listed(part), MAX_PART_BYTES, wire_bytes))


def title(text: str) -> str:
    """Return what a plain message's notification says: its first words."""
    for line in text.splitlines():
        words = " ".join(_NOISE.sub(" ", line).replace("&lt;", "<").split())
        if words:
            return next(chunks(words, _TITLE)).strip()
    return "…"


def with_steps(parts: tuple[str, ...], steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the same with the latest steps as lines at the end, without them where text is all there is."""
    lines = "\n\n".join(
        step_lines(steps, lambda title: _escaped(wellformed(title)[:100]), answered=bool(parts))
    )
    if not lines:
        return parts
    if not parts:
        return (lines,)
    whole = f"{parts[-1]}\n\n{lines}"
    return (*parts, lines) if len(whole) > CARD_PART else (*parts[:-1], whole)


def _safe(text: str) -> str:
    """Make visible what looks like a tag outside of code, and open links that are no web links."""
    found = outline(text)
    return apply_edits(
        text, (*rewrite_code(text, found), *rewrite_links(text, found, _TAKEN, _escaped)), _escaped
    )


def _escaped(text: str) -> str:
    return _ALL.sub("@\u2060", _TAG.sub(lambda match: match[1] or "&lt;", text))


def _listed(text: str) -> str:
    """Return tables as lists, code as quotes, and lines of a paragraph kept apart by two spaces."""
    found = outline(text)
    breaks = (TextEdit(place, place, "" if text[place - 1] == " " else "  ") for place in found.breaks)
    edits = (*tables_as_lists(text, found.tables), *code_as_quotes(text, found, _escaped), *breaks)
    return apply_edits(text, edits).strip("\n").rstrip()
