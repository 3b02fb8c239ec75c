"""Markdown on Telegram: every word is shown, in messages that are taken, and nobody is called."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parley.channels.kit.markdown.outline import CodeSpan, FenceSpan, LinkSpan, outline
from parley.channels.kit.markdown.rewrite import TextEdit, apply_edits
from parley.channels.kit.text import utf16_length
from parley.channels.telegram.formatting import (
    MAX_MESSAGE_UNITS,
    MOST_ENTITIES,
    FormattedMessage,
    placeholder_for,
    render,
    rich_markdown,
    without_marks,
)
from parley.simulator.telegram.api.entities import check_entities, find_entities
from tests.kit.samples.markdown_pieces import HUGE, calling, cooked, in_order, numbered, pieces, titled


def marked(part: FormattedMessage, *types: str) -> list[str]:
    """What is marked so."""
    data = part.text.encode("utf-16-le")
    return [
        data[2 * entity.offset : 2 * (entity.offset + entity.length)].decode("utf-16-le")
        for entity in part.entities
        if entity.type in types
    ]


def taken(parts: tuple[FormattedMessage, ...]) -> bool:
    """Whether the platform takes each part as it is."""
    for part in parts:
        check_entities(part.text, [entity.to_dict() for entity in part.entities])
    return all(
        part.text.strip()
        and utf16_length(part.text) <= MAX_MESSAGE_UNITS
        and len(part.entities) <= MOST_ENTITIES
        for part in parts
    )


def called(part: FormattedMessage) -> list[str]:
    """Whom a message calls: Telegram looks for names in everything that is no code."""
    data = bytearray(part.text.encode("utf-16-le"))
    for entity in part.entities:
        if entity.type in ("code", "pre"):
            data[2 * entity.offset : 2 * (entity.offset + entity.length)] = b" \0" * entity.length
    text = data.decode("utf-16-le")
    found = [
        entity for entity in find_entities(text) if isinstance(entity, dict) and entity["type"] == "mention"
    ]
    people = [entity.url for entity in part.entities if (entity.url or "").startswith("tg:")]
    return [str(each) for each in (*found, *people)]


@settings(deadline=None, max_examples=150)
@given(pieces)
def test_every_word_is_shown_in_order_or_is_the_address_of_a_link(parts):
    source = cooked(parts)
    shown = render(source)
    text = numbered("\n".join(part.text for part in shown))
    urls = {word for part in shown for entity in part.entities for word in numbered(entity.url or "")}
    wanted = [word for word in numbered(source) if word not in titled(source)]
    assert set(wanted) <= set(text) | urls, source
    assert in_order([word for word in wanted if word in text], text), source
    assert taken(shown)


@settings(deadline=None, max_examples=15)
@given(pieces, st.integers(50, 300))
def test_long_texts_come_in_messages_of_the_platforms_length(parts, times):
    source = cooked(parts, times)
    shown = render(source)
    assert taken(shown)
    wanted = [word for word in numbered(source) if word not in titled(source)]
    text = set(numbered("\n".join(part.text for part in shown)))
    urls = {word for part in shown for entity in part.entities for word in numbered(entity.url or "")}
    assert len(set(wanted) - text - urls) == 0 or max(len(part.entities) for part in shown) == MOST_ENTITIES


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_is_shown(name):
    assert taken(render(HUGE[name]))


@settings(deadline=None, max_examples=150)
@given(calling)
def test_nobody_is_called_by_an_answer(parts):
    source = cooked(parts)
    for part in render(source):
        assert not called(part), source
        assert not called(placeholder_for(part))
        assert not called(without_marks(part))


@settings(deadline=None)
@given(calling)
@example(["\n[nobody]: ", "[x](tg://user?id=1)", "\n[nobody]: "])
def test_nobody_is_called_by_a_rich_message(parts):
    text = rich_markdown(cooked(parts))
    found = outline(text)
    assert not [anchor for anchor in found.anchors if anchor.address.startswith("tg:")]
    kept: list[FenceSpan | CodeSpan | LinkSpan] = [*found.fences, *found.codes, *found.anchors]
    prose = apply_edits(text, [TextEdit(part.start, part.end, " ") for part in kept])
    assert not re.search(r"(?<![\w/])@\w", prose)


def test_a_name_looks_as_before_and_an_address_with_one_still_leads_there():
    (part,) = render("ask @bob, not a@b.c, at https://m.n/@bob. `@property`")
    assert part.text.replace("\u2060", "") == "ask @bob, not a@b.c, at https://m.n/@bob. @property"
    assert [entity.url for entity in part.entities if entity.type == "text_link"] == ["https://m.n/@bob"]
    assert marked(part, "code") == ["@property"]


def test_code_that_is_cut_is_code_in_its_language_in_every_message():
    lines = [f"row_{number} = {number}" for number in range(2000)]
    parts = render("Look:\n\n> - ```python\n" + "".join(f">   {line}\n" for line in lines) + ">   ```\n\nend")
    code = [entity for part in parts for entity in part.entities if entity.type == "pre"]
    assert len(parts) > 5
    assert {entity.language for entity in code} == {"python"}
    assert "\n".join(text for part in parts for text in marked(part, "pre")).split("\n") == lines


def test_narrow_tables_are_aligned_and_wide_ones_or_such_with_links_are_lists():
    narrow = "| name | 数 |\n|---|---|\n| ann | 41 |\n| 王小明 | |"
    (part,) = render(narrow)
    assert marked(part, "pre") == ["name   | 数\n-------+---\nann    | 41\n王小明 |"]
    wide = f"| a | b |\n|---|---|\n| {'long ' * 12}| **x** |\n| c | |"
    (part,) = render(wide)
    assert part.text == f"• a: {('long ' * 12).strip()} · b: x\n• a: c · b"
    (part,) = render("| a |\n|---|\n| [b](http://c.d) |")
    assert (part.text, marked(part, "text_link")) == ("• a: b", ["b"])


def test_lists_in_lists_and_quotes_in_quotes():
    (part,) = render("1. a\n   - b\n\n     more\n2. c\n\n> d\n> > e\n>\n> - f")
    assert part.text == "1. a\n  • b\n    more\n2. c\n\nd\n\ne\n\n• f"
    assert marked(part, "blockquote") == ["d\n\ne\n\n• f"]


def test_headings_are_bold_and_rules_are_lines():
    (part,) = render("# a **b**\n\n---\n\n~~c~~ *d*")
    assert part.text == "a b\n\n⸻\n\nc d"
    assert (marked(part, "bold"), marked(part, "strikethrough"), marked(part, "italic")) == (
        ["a b"],
        ["c"],
        ["d"],
    )


def test_of_too_many_marks_those_stay_that_say_something():
    (part,) = render("**x** *y* " * 100 + "[a](http://b.c) `d`")
    assert len(part.entities) == MOST_ENTITIES
    assert (marked(part, "text_link"), marked(part, "code")) == (["a"], ["d"])


def test_a_text_that_grows_changes_at_its_end_only():
    source = "## Head\n\nSome **bold** words, [a link](http://b.c) and `code`.\n\n- one\n- two\n\n" * 3
    whole = render(source)[0].text
    for end in range(len(source)):
        for part in render(source[:end]):
            same = next((at for at, (a, b) in enumerate(zip(part.text, whole, strict=False)) if a != b), None)
            assert same is None or same >= len(part.text) - 25, (part.text, source[:end])
