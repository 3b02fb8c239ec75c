"""Parts of markdown: nothing is lost, nothing is too long, and each part is the markdown that it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parley.channels.kit.markdown.outline import outline
from parley.channels.kit.markdown.parse import parse
from parley.channels.kit.markdown.split import split, split_at
from parley.channels.kit.markdown.tree import BlockQuote, CodeBlock, ListBlock, TableBlock
from parley.channels.kit.text import byte_length, utf16_length
from tests.kit.samples.markdown_pieces import HUGE, cooked, in_order, numbered, pieces

UNITS = st.sampled_from([len, utf16_length, byte_length])
PIECES = st.sampled_from(
    [
        *("a word ", "sentence. ", "\n", "\n\n", "```python\n", "```\n", "~~~\n", "````\n", "x = 1\n"),
        *("  ```\n", "中文句子。", "👨‍👩‍👧‍👦", "🇩🇪", "é", "é", "👍🏽", "`code`", "- item\n", "> quote\n"),
        *(
            "\t",
            "``` a`b\n",
            "averyveryverylongwordthatneverends",
            "\r\n",
            "각",
            "    deep\n",
            "- ```python\n",
        ),
    ]
)
MARKDOWN = st.one_of(st.text(), st.lists(PIECES, max_size=120).map("".join))


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


def blocks(kind, text):
    return [block for block in parse(text) if isinstance(block, kind)]


@settings(deadline=None)
@given(MARKDOWN, st.integers(4, 200), UNITS)
def test_no_part_is_longer_than_the_limit(text, limit, measure):
    assert all(measure(part) <= limit for part in split(text, limit, measure))


@settings(deadline=None)
@given(pieces, st.integers(1, 20), st.integers(64, 400), UNITS)
def test_every_word_is_in_the_parts_in_order(parts, times, limit, measure):
    source = cooked(parts, times)
    shown = split(source, limit, measure)
    assert all(0 < measure(part) <= limit and part.strip() for part in shown)
    # Words without a space between them may be longer than a part, and are cut anywhere then.
    assert in_order(numbered(letters(source)), numbered(letters("".join(shown))))


@settings(deadline=None)
@given(MARKDOWN, st.integers(64, 200), UNITS)
@example("```\n" + "x\n" * 80 + "```", 64, len)
def test_nothing_but_fences_is_added_and_nothing_is_left_out(text, limit, measure):
    def content(source: str) -> str:
        return letters(re.sub(r"[ \t>]*(`{3,}|~{3,})(python| a`b)?", "", source))

    assert content("\n".join(split(text, limit, measure))) == content(text)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["alpha", "beta", "中文", "x" * 30]), min_size=1), st.integers(40, 90))
def test_words_stay_whole(words, limit):
    parts = split(" ".join(words), limit)
    assert letters("".join(parts)) == "".join(words)
    assert {w for part in parts for w in re.findall(r"[a-z]+", part)} <= {"alpha", "beta", "x" * 30}


def test_a_cut_code_block_is_closed_and_reopened_in_its_language():
    code = "".join(f"line_{number} = {number}\n" for number in range(20))
    parts = split(f"Look:\n\n```python\n{code}```\nDone.", 120)
    assert len(parts) > 2
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert all(part.startswith(("Look", "```python\nline_")) for part in parts)
    assert parts[-1].endswith("```\nDone.")


@pytest.mark.parametrize("before", ["", "- ", "1. ", "- a\n  - b\n    - c\n\n      ", "> ", "> - "])
def test_code_in_lists_and_quotes_is_the_same_code_in_every_part(before):
    margin = re.sub(r"[^\s>]", " ", before.rpartition("\n")[2])
    lines = [f"{'  ' * (number % 3)}row_{number}" for number in range(60)]
    source = f"{before}```js\n" + "".join(f"{margin}{line}\n" for line in lines) + f"{margin}```\n\nend"
    parts = split(source, 200)
    found = [block for part in parts for block in codes(parse(part))]
    assert len(parts) > 2
    assert {block.language for block in found} == {"js"}
    assert [line for block in found for line in block.text.split("\n")] == lines
    assert parts[-1].endswith("end")


def codes(blocks):
    for block in blocks:
        if isinstance(block, CodeBlock):
            yield block
        elif isinstance(block, BlockQuote):
            yield from codes(block.blocks)
        elif isinstance(block, ListBlock):
            for item in block.items:
                yield from codes(item.blocks)


def test_a_code_block_moves_to_the_next_part_rather_than_be_cut_near_its_start():
    prose, code = "word " * 20, "```\n" + "code\n" * 8 + "```"
    assert split(f"{prose}\n\n{code}", 120) == (prose.strip(), code)


def test_a_cut_table_is_a_table_with_its_head_in_every_part():
    rows = [f"| name {number} | {number} |" for number in range(40)]
    parts = split("Before.\n\n| a | b |\n|---|--:|\n" + "\n".join(rows) + "\n\nAfter.", 200)
    found = [table for part in parts for table in blocks(TableBlock, part)]
    assert len(found) == len(parts) > 3
    assert len({table.head for table in found}) == 1
    assert [row[1][0].text for table in found for row in table.rows] == [str(number) for number in range(40)]
    assert parts[-1].endswith("After.")


def test_nested_lists_are_lists_in_every_part():
    source = "".join(f"- a{n}\n    - b{n}\n        - c{n} and some words\n" for n in range(30))
    parts = split(source, 90)
    assert len(parts) > 5
    assert all(isinstance(block, ListBlock) for part in parts for block in parse(part))
    assert [w for part in parts for w in re.findall(r"[abc]\d+", part)] == re.findall(r"[abc]\d+", source)


def test_indented_code_is_code_in_every_part():
    parts = split("Look:\n\n" + "".join(f"    line {n}\n      more {n}\n" for n in range(40)), 200)
    assert len(parts) > 3
    assert all(blocks(CodeBlock, part) for part in parts)


def test_paragraphs_are_preferred_to_lines_and_lines_to_sentences():
    assert split("a" * 30 + "\n\n" + "b" * 20 + "\n" + "c" * 20, 60) == ("a" * 30, "b" * 20 + "\n" + "c" * 20)
    assert split("One here. Two here.\nThree. Four five", 30) == ("One here. Two here.", "Three. Four five")
    assert split("One here now. Two and more of it", 24) == ("One here now.", "Two and more of it")


def test_the_parts_that_are_full_stay_as_they_are_while_the_text_grows():
    source = "".join(
        f"## Head {n}\n\nwords of it, {n}\n\n- item\n\n```py\nx = {n}\n```\n\n" for n in range(30)
    )
    last: tuple[str, ...] = ()
    for end in range(0, len(source), 7):
        parts = split(source[:end], 300)
        assert parts[: max(0, len(last) - 2)] == last[: max(0, len(last) - 2)]
        last = parts


@pytest.mark.parametrize("name", HUGE)
def test_what_brings_parsers_down_comes_in_parts(name):
    parts = split(HUGE[name], 4000)
    assert all(0 < len(part) <= 4000 for part in parts)


def test_sections_leave_nothing_out_and_mend_what_they_tear():
    text = "a\n```py\nb\nc\n```\nd"
    at = text.index("c")
    assert split_at(text, [], 100) == (text,)
    assert split_at(text, [at], 100) == ("a\n```py\nb\n\n```", "```py\nc\n```\nd")
    assert "".join(split_at("plain words", [5, 7], 100)) == "plain words"


def test_an_endless_fence_marker_is_only_text():
    parts = split("`" * 500 + "\ncode\n" * 50, 100)
    assert all(len(part) <= 100 for part in parts)


def test_short_and_blank_texts():
    assert split("short", 100) == ("short",)
    assert split(" \n ", 100) == ()
    assert split("", 100) == ()


def test_an_outline_says_where_things_stand():
    text = "é `c` [w](u) ![p](v) <http://x.y>\nend\n\n|a|b|\n|-|-|\n|1|2|\n\n> ```js\n> x\n> ```\n"
    found = outline(text)
    (code,), (break_,), (table,), (fence,) = found.codes, found.breaks, found.tables, found.fences
    assert text[code.start : code.end] == "`c`"
    assert text[break_:].startswith("\nend")
    assert [[text[start:end] for start, end in row] for row in table.rows] == [["a", "b"], ["1", "2"]]
    assert (text[fence.body : fence.close], fence.indent, fence.info) == ("> x\n", "> ", "js")
    assert [text[anchor.words_start : anchor.words_end] for anchor in found.anchors] == [
        "w",
        "p",
        "http://x.y",
    ]
    assert [anchor.address for anchor in found.anchors] == ["u", "v", "http://x.y"]
