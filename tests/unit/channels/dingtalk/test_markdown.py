"""Markdown on DingTalk: every word of it, in requests that are taken, and nobody is called."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.dingtalk.formatting import (
    CARD_PART,
    MAX_PART_BYTES,
    card_parts,
    card_to_plain,
    plain_parts,
    wire_bytes,
)
from parley.channels.kit.markdown.outline import CodeSpan, FenceSpan, outline
from parley.channels.kit.markdown.rewrite import TextEdit, apply_edits
from tests.kit.samples.markdown_pieces import HUGE, calling, cooked, in_order, numbered, pieces


@settings(deadline=None, max_examples=12)
@given(pieces, st.integers(1, 250))
def test_every_word_is_there_in_order_in_requests_of_the_platforms_size(parts, times):
    source = cooked(parts, times)
    for shown in (card_parts(source), plain_parts(source), card_to_plain(card_parts(source))):
        assert in_order(numbered(source), numbered("\n".join(shown)))
        assert all(part.strip() and wire_bytes(part) <= MAX_PART_BYTES for part in shown)
    assert all(len(part) <= CARD_PART for part in card_parts(source))


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_is_shown(name):
    for part in plain_parts(HUGE[name]):
        assert part.strip()
        assert wire_bytes(part) <= MAX_PART_BYTES
    for part in card_parts(HUGE[name]):
        assert part.strip()
        assert len(part) <= CARD_PART


@settings(deadline=None, max_examples=100)
@given(calling)
def test_nobody_is_called_and_nothing_said_for_anybody_by_an_answer(parts):
    for part in (*card_parts(cooked(parts)), *plain_parts(cooked(parts))):
        found = outline(part)
        assert not [anchor for anchor in found.anchors if anchor.address.startswith("dtmd:")]
        kept: list[FenceSpan | CodeSpan] = [*found.fences, *found.codes]
        prose = apply_edits(part, [TextEdit(each.start, each.end, " ") for each in kept])
        assert not re.search(r"@(?:all\b|所有人)|<(?:/?at|[!/a-z])(?![^<>]*:)", prose), prose


def test_code_that_is_cut_is_code_in_its_language_in_every_part():
    lines = [f"row_{number} = {number} < 1" for number in range(5000)]
    parts = card_parts("Look:\n\n```python\n" + "\n".join(lines) + "\n```\n\nend")
    found = [outline(part).fences for part in parts]
    assert len(parts) > 3
    assert all(len(fences) == 1 and fences[0].info == "python" for fences in found)
    shown = "\n".join(part[fence.body : fence.close] for part, (fence,) in zip(parts, found, strict=True))
    assert [line for line in shown.split("\n") if line] == lines


def test_code_is_a_quote_in_plain_messages_with_its_indents_and_nothing_in_it_is_markdown():
    text = "Look at `x <1`:\n```python\nif x < 1:\n    # go\n    run()\n```\ndone"
    (shown,) = plain_parts(text)
    assert shown == (
        "Look at **x <1**:\n\n> \u00a0python  \n> \u00a0if x < 1:  \n"
        "> \u00a0\u00a0\u00a0\u00a0\u00a0# go  \n> \u00a0\u00a0\u00a0\u00a0\u00a0run()  \n\ndone"
    )


def test_code_that_is_cut_is_a_quote_in_every_plain_part():
    lines = [f"row_{number} = {number}" for number in range(3000)]
    parts = plain_parts("```\n" + "\n".join(lines) + "\n```")
    assert len(parts) > 3
    shown = [line.removeprefix("> \u00a0").rstrip() for part in parts for line in part.split("\n") if line]
    assert shown == lines


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "[a](dtmd://dingtalkclient/sendMessage?content=x)",
            "a (dtmd://dingtalkclient/sendMessage?content=x)",
        ),
        ("![p](https://a.b/c.png)", "![p](https://a.b/c.png)"),
        ("![p](./c.png)", "p (./c.png)"),
        ("<https://a.b>", "<https://a.b>"),
        ("1 < 2 and <b>", "1 < 2 and &lt;b>"),
        ("@all, and a@all.b", "@\u2060all, and a@\u2060all.b"),
        ("`@all <b>`", "`@all <b>`"),
    ],
)
def test_what_cards_do_not_take_is_rewritten_and_the_rest_stays(markdown, shown):
    assert card_parts(markdown) == (shown,)


def test_tables_in_lists_and_quotes_become_lists_there():
    assert plain_parts("> |a|b|\n> |-|-|\n> |`c`|d|\n> |e|") == ("> - a: `c` · b: d\n> - a: e · b",)
    assert plain_parts("- x\n\n  |a|\n  |-|\n  |b|\n\n  y") == ("- x\n\n  - a: b\n\n  y",)
    assert plain_parts("|a|b|\n|-|-|") == ("- a · b",)
