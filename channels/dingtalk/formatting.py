"""Markdown as DingTalk shows it, in parts that fit into one of its requests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from bridge.types import Step, StepStatus
from channels.dingtalk.tables import as_list
from channels.kit.fences import fences
from channels.kit.text import chunks, split, wellformed

MOST = 18_000
"""Bytes of a text as the wire has it. A request may have 20,000; the rest is for what is around the text."""
MOST_STEPS = 6
_LONGEST_FENCE = 1000
_TITLE = 50
_MARKS = {StepStatus.RUNNING: "⏳", StepStatus.DONE: "✓", StepStatus.FAILED: "✗"}

# DingTalk's markdown knows HTML and drops what it takes for a tag; <https://links> are none.
_CODE_OR_TAG = re.compile(
    r"(?<!`)(`+)(?!`)(?:[^`\n]|\n(?!\n))+\1(?!`)|<(?!(?:https?|mailto):[^\s<>]*>)(?=[A-Za-z/!?])"
)
_BLOCK = re.compile(r"\s*(?:[-*+>|#]|\d+[.)]\s|```|~~~)")
_NOISE = re.compile(r"[#*_`>|~\[\]]+")


def wire_bytes(text: str) -> int:
    """How many bytes a text takes in a request, where it is JSON within JSON."""
    return len(json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False).encode()) - 6


def card_parts(markdown: str) -> tuple[str, ...]:
    """Markdown as the texts of cards, which show nearly all of it; nothing for a blank one."""
    return split(_outside_code(wellformed(markdown), _escaped), MOST, wire_bytes)


def plain_parts(markdown: str) -> tuple[str, ...]:
    """Markdown as plain robot messages, which show no tables and run lines together."""
    return split(_listed(_outside_code(wellformed(markdown), _escaped)), MOST, wire_bytes)


def again_plain(parts: Sequence[str]) -> tuple[str, ...]:
    """Texts that were meant for cards as plain messages."""
    return tuple(piece for part in parts for piece in split(_listed(part), MOST, wire_bytes))


def title(text: str) -> str:
    """What a plain message's notification says: its first words."""
    for line in text.splitlines():
        words = " ".join(_NOISE.sub(" ", line).replace("&lt;", "<").split())
        if words:
            return next(chunks(words, _TITLE)).strip()
    return "…"


def with_steps(parts: tuple[str, ...], steps: Sequence[Step]) -> tuple[str, ...]:
    """The same with the latest steps as lines at the end; while nothing runs and there is text, without."""
    if not steps or (parts and all(step.status is not StepStatus.RUNNING for step in steps)):
        return parts
    lines = "\n\n".join(
        f"{_MARKS[step.status]} {_escaped(wellformed(step.title)[:100])}" for step in steps[-MOST_STEPS:]
    )
    if not parts:
        return (lines,)
    whole = f"{parts[-1]}\n\n{lines}"
    return (*parts, lines) if wire_bytes(whole) > MOST else (*parts[:-1], whole)


def _listed(text: str) -> str:
    return _outside_code(text, lambda prose: _broken(as_list(prose))).rstrip()


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything but its code blocks changed."""
    pieces: list[str] = []
    start = 0
    for block in fences(text, _LONGEST_FENCE):
        pieces += (change(text[start : block.start]), text[block.start : block.end])
        start = block.end
    return "".join((*pieces, change(text[start:])))


def _escaped(text: str) -> str:
    """Everything that looks like a tag made visible, but for code."""
    return _CODE_OR_TAG.sub(lambda match: "&lt;" if match[0] == "<" else match[0], text)


def _broken(text: str) -> str:
    """Lines of a paragraph kept apart by the two spaces that markdown has for that."""
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1]):
        following = lines[number + 1]
        if line.strip() and following.strip() and not _BLOCK.match(following) and not line.startswith("#"):
            lines[number] = f"{line.rstrip()}  "
    return "\n".join(lines)
