"""Markdown as Feishu shows it: in cards, which take near to all of it, or in plainer messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from types import MappingProxyType
from urllib.parse import unquote

from parley.channels.kit.markdown.outline import FenceSpan, LinkSpan, outline
from parley.channels.kit.markdown.rewrite import (
    LinkPolicy,
    TextEdit,
    apply_edits,
    escape_tags,
    rewrite_code,
    rewrite_links,
)
from parley.channels.kit.markdown.split import split
from parley.channels.kit.steps import step_lines
from parley.channels.kit.text import byte_length, chunks, wellformed
from parley.core.model.types import Json, JsonObject, Step

MAX_CARD_BYTES = 28_000
"""Bytes of a part's text as it stands in a card; with all around it a card may have 30 kB."""
MOST_TABLES = 5
ELEMENT_ID, STEPS_ID = "answer", "steps"
THINKING = "…"
_SUMMARY = 60
_STEPS_ROOM = 1500
_SLACK = 1000
_TAKEN = LinkPolicy(links=("http://", "https://", "mailto:", "tel:", "lark://", "feishu://"))
_UPLOADED = re.compile(r"!\[([^\[\]\n]*)\]\(img_[\w-]{1,200}\)")
_AT = re.compile(r"<(?=/?at\b)", re.IGNORECASE)


def measure(text: str) -> int:
    """Return the most bytes that a text may need in a card: JSON's escapes, and `<` written as an entity."""
    entities = 4 * text.count("<")
    if text.isprintable() and '"' not in text and "\\" not in text:
        return byte_length(text) + entities
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2 + entities


def render(markdown: str, pictures: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """Return Markdown as one card's text after the other; nothing for a blank text.

    `pictures` has the keys of those that are uploaded, by the names of their files.
    """
    text = _with_pictures(wellformed(markdown), pictures)
    taken = replace(_TAKEN, pictures=tuple(key.lower() for key in pictures.values()))
    if measure(text) > MAX_CARD_BYTES // 2:
        # Links without words grow, to twice their size at most, when they are rewritten.
        text = apply_edits(text, rewrite_links(text, outline(text), taken, str))
    return tuple(_prepared(part, taken) for part in split(text, MAX_CARD_BYTES, measure))


def named_pictures(markdown: str) -> frozenset[str]:
    """Return the names of the files that a text shows as pictures among its words."""
    if "![" not in markdown:
        return frozenset()
    return frozenset(_file_name(each) for each in outline(wellformed(markdown)).anchors if each.picture)


def _with_pictures(text: str, pictures: Mapping[str, str]) -> str:
    if not pictures:
        return text
    shown = ((each, pictures.get(_file_name(each))) for each in outline(text).anchors if each.picture)
    edits = [TextEdit(each.words_end, each.end, f"]({key})") for each, key in shown if key]
    return apply_edits(text, edits)


def _file_name(picture: LinkSpan) -> str:
    """Return the name of a file that comes with the answer, "" for a picture from elsewhere."""
    address = unquote(picture.address)
    return "" if "://" in address else PurePosixPath(address).name


def steps_text(parts: tuple[str, ...], steps: Sequence[Step]) -> str:
    """Return the latest steps as lines for an element of their own, under the last part where that has room.

    Within the answer they would stand behind it, and all of it would be drawn anew with each word.
    """
    if parts and measure(parts[-1]) + _STEPS_ROOM > MAX_CARD_BYTES:
        return ""
    return "\n".join(step_lines(steps, _title, answered=False))


def summary(text: str) -> str:
    """Return what the list of chats shows of an answer."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return next(chunks(re.sub(r"[*_`#>|~]|&#60;", "", line).strip(), _SUMMARY), THINKING)


def card(text: str, *, streaming: bool, foot: Sequence[JsonObject] = ()) -> JsonObject:
    """Return a card of one text that grows, with a foot under its steps, or stands."""
    config: dict[str, Json] = {"update_multi": True, "streaming_mode": streaming}
    config["summary"] = {"content": THINKING if streaming else summary(text)}
    if streaming:
        config["streaming_config"] = {
            "print_frequency_ms": {"default": 30},
            "print_step": {"default": 4},
            "print_strategy": "fast",
        }
    elements: list[Json] = [{"tag": "markdown", "element_id": ELEMENT_ID, "content": text}]
    if streaming:
        elements += [dict(steps_element("")), *(dict(each) for each in foot)]
    return {"schema": "2.0", "config": config, "body": {"elements": elements}}


def steps_element(lines: str) -> JsonObject:
    """Return what shows steps under an answer that grows."""
    return {"tag": "markdown", "element_id": STEPS_ID, "text_size": "notation", "content": lines}


def post(text: str) -> JsonObject:
    """Return a rich text of markdown, where cards are not to be had."""
    return {"zh_cn": {"content": [[{"tag": "md", "text": _without_pictures(text)}]]}}


def plain(text: str) -> JsonObject:
    """Return a text as it is, where nothing else is taken. Nobody is called by it."""
    return {"text": _uncalled(_without_pictures(text).replace("&#60;", "<"))}


def _without_pictures(text: str) -> str:
    """Return the words of pictures in their place: only cards show these."""
    return _UPLOADED.sub(r"\1", text)


def _title(title: str) -> str:
    return _outside_code(wellformed(title).replace("`", "'").replace("\n", " ")[:100])


def _prepared(part: str, taken: LinkPolicy) -> str:
    """Return a part as the platform reads it right.

    Tags of its own (`<at id=all>` would call everybody) are shown as written; pictures from elsewhere, for
    which it refuses the whole card, become links; of tables it takes five, more are shown as code.
    """
    part = _few_tables(part)
    found = outline(part)
    changed = (*rewrite_code(part, found, _code), *rewrite_links(part, found, taken, _outside_code))
    return apply_edits(part, changed, _outside_code)


def _outside_code(text: str) -> str:
    return escape_tags(text, "&#60;")


def _uncalled(text: str) -> str:
    """Return code that calls nobody even where the platform would not take it for code."""
    return _AT.sub("<\u200b", text)


def _code(text: str) -> str:
    """Break tags in code and, within a line, pictures: for them a whole card is refused."""
    text = _uncalled(text)
    return text if "\n" in text else text.replace("![", "!\u200b[")


def _few_tables(part: str) -> str:
    """Return the tables after the fifth as code, or, where that makes the card too large, as lines."""
    lines = part.split("\n")
    if len(_tables(lines, lambda number: False)) <= MOST_TABLES:
        return part
    surplus = _tables(lines, _line_check(lines, outline(part).fences))[MOST_TABLES:]
    coded = list(lines)
    for start, end in reversed(surplus):
        coded[start:end] = ["```", *lines[start:end], "```"]
    whole = "\n".join(coded)
    if measure(whole) <= MAX_CARD_BYTES + _SLACK:
        return whole
    rules = {number for start, end in surplus for number in range(start, end) if _is_delimiter(lines[number])}
    return "\n".join(line for number, line in enumerate(lines) if number not in rules)


def _is_delimiter(line: str) -> bool:
    """Tell whether a line stands under the head of a table: dashes between bars, perhaps with colons."""
    bare = line.strip(" \t")
    cells = bare.removeprefix("|").removesuffix("|").split("|")
    framed = len(bare) > 1 and bare[0] == bare[-1] == "|"
    return (len(cells) > 1 or framed) and all(map(_is_dashes, cells))


def _is_dashes(cell: str) -> bool:
    dashes = cell.strip(" \t").removeprefix(":").removesuffix(":")
    return bool(dashes) and not dashes.strip("-")


def _tables(lines: Sequence[str], in_code: Callable[[int], bool]) -> list[tuple[int, int]]:
    """Return where tables begin and end, by line numbers."""
    found: list[tuple[int, int]] = []
    number = 1
    while number < len(lines):
        if _is_delimiter(lines[number]) and "|" in lines[number - 1] and not in_code(number):
            start = number - 1
            while number < len(lines) and "|" in lines[number]:
                number += 1
            found.append((start, number))
        number += 1
    return found


def _line_check(lines: Sequence[str], fences: Sequence[FenceSpan]) -> Callable[[int], bool]:
    """Tell whether a line of the part, by its number, lies in a code block."""
    offsets, at = [], 0
    for line in lines:
        offsets.append(at)
        at += len(line) + 1
    return lambda number: any(fence.start <= offsets[number] < fence.end for fence in fences)
