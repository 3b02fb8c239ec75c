"""Markdown on Feishu: nearly as it is, every word of it, in cards that are taken, and nobody is called."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.feishu.formatting import card, plain, post, render
from parley.channels.kit.markdown.outline import outline
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.tree import CodeBlock
from tests.kit.samples.markdown_pieces import HUGE, calling, cooked, in_order, numbered, pieces

MOST_CARD = 30_000


def size(part: str) -> int:
    """Bytes of the whole card that shows a part, as Feishu counts them."""
    return len(json.dumps(card(part, streaming=True), ensure_ascii=False).encode())


@settings(deadline=None, max_examples=12)
@given(pieces, st.integers(1, 300))
def test_every_word_is_there_in_order_in_cards_of_the_platforms_size(parts, times):
    source = cooked(parts, times)
    shown = render(source)
    assert in_order(numbered(source), numbered("\n".join(shown)))
    assert all(part.strip() and size(part) <= MOST_CARD for part in shown)


@pytest.mark.parametrize("piece", ["<https://e.f> ", "![](https://g.h) ", "[](https://g.h)", "[a](<b>) "])
def test_links_that_are_rewritten_do_not_make_a_card_too_large(piece):
    parts = render("- x\n" + piece * 4000)
    assert max(map(size, parts)) <= MOST_CARD


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_is_shown(name):
    assert all(part.strip() and size(part) <= MOST_CARD for part in render(HUGE[name]))


@settings(deadline=None, max_examples=150)
@given(calling)
def test_nobody_is_called_by_an_answer(parts):
    for part in render(cooked(parts)):
        for content in (part, json.dumps(post(part)), str(plain(part)["text"])):
            assert not re.search(r"<\s*/?at\b", content, re.IGNORECASE), content


def test_code_that_is_cut_is_code_in_its_language_in_every_card():
    lines = [f"row_{number} = {number} < 1" for number in range(5000)]
    parts = render("- Look:\n\n  ```python\n" + "".join(f"  {line}\n" for line in lines) + "  ```\n\nend")
    found = [outline(part).fences for part in parts]
    code = [block for part in parts[1:] for block in parse(part) if isinstance(block, CodeBlock)]
    assert len(parts) > 3
    assert all(len(fences) == 1 and fences[0].info == "python" for fences in found)
    assert lines[-1] in code[-1].text
    shown = "\n".join(part[fence.body : fence.close] for part, (fence,) in zip(parts, found, strict=True))
    assert [line.strip() for line in shown.split("\n") if line.strip()] == lines


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("<https://a.b/c_(d)>", "[https://a.b/c_(d)](https://a.b/c_%28d%29)"),
        ("![](https://a.b)", "[https://a.b](https://a.b)"),
        ("[![p](https://a.b)](https://c.d)", "[p (https://a.b)](https://c.d)"),
        ("[**a**](./b)", "**a** (./b)"),
        ("\\<at id=all>", "&#60;at id=all>"),
        ('[a](https://b.c "<at id=all>")', "[a](https://b.c)"),
        ('[a](https://b.c "t")', '[a](https://b.c "t")'),
        ("[a][r]\n\n[r]: https://b.c", "[a][r]\n\n[r]: https://b.c"),
        ("[half](https://a", "[half](https://a"),
    ],
)
def test_what_cards_do_not_take_is_rewritten_and_the_rest_stays(markdown, shown):
    assert render(markdown) == (shown,)


def test_a_text_that_grows_grows_as_it_is_shown():
    source = (
        "## Head\n\nSome **bold** words < these, [a link](http://b.c) and `code`.\n\n- one\n- two\n\n" * 3
    )
    whole = render(source)[0]
    for end in range(len(source)):
        for part in render(source[:end]):
            same = next((at for at, (a, b) in enumerate(zip(part, whole, strict=False)) if a != b), len(part))
            assert same >= len(part) - 25, (part, whole)
