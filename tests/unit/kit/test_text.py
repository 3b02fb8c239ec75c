"""Splitting: nothing is lost, nothing is too long, and nothing is torn that need not be."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.ports import TextUnit
from channels.kit.text import MEASURES, byte_length, chunks, split, utf16_length, wellformed

UNITS = st.sampled_from(list(MEASURES.values()))
PIECES = st.sampled_from(
    [
        *(
            "a word ",
            "sentence. ",
            "\n",
            "\n\n",
            "```python\n",
            "```\n",
            "~~~\n",
            "````\n",
            "x = 1\n",
            "  ```\n",
        ),
        *(
            "中文句子。",
            "👨‍👩‍👧‍👦",
            "🇩🇪",
            "é",
            "é",
            "👍🏽",
            "`code`",
            "- item\n",
            "> quote\n",
            "\t",
            "``` a`b\n",
        ),
        *("averyveryverylongwordthatneverends", "\r\n", "각"),
    ]
)
MARKDOWN = st.one_of(st.text(), st.lists(PIECES, max_size=120).map("".join))


def letters(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(MARKDOWN, st.integers(4, 200), UNITS)
def test_no_part_is_longer_than_the_limit(text, limit, measure):
    assert all(measure(part) <= limit for part in split(text, limit, measure))


@given(MARKDOWN, st.integers(4, 200), UNITS)
def test_plain_parts_joined_are_the_text(text, limit, measure):
    parts = list(chunks(text, limit, measure))
    assert "".join(parts) == text
    assert all(measure(part) <= limit for part in parts)


@given(MARKDOWN, st.integers(64, 200), UNITS)
@example("```\n" + "x\n" * 80 + "```", 64, len)
def test_nothing_but_fences_is_added_and_nothing_is_left_out(text, limit, measure):
    def content(source: str) -> str:
        return letters(re.sub(r"[ \t>]*(`{3,}|~{3,})(python| a`b)?", "", source))

    assert content("\n".join(split(text, limit, measure))) == content(text)


@given(st.lists(st.sampled_from(["alpha", "beta", "中文", "x" * 30]), min_size=1), st.integers(40, 90))
def test_words_stay_whole(words, limit):
    parts = split(" ".join(words), limit)
    assert letters("".join(parts)) == "".join(words)
    assert {w for part in parts for w in re.findall(r"[a-z]+", part)} <= {"alpha", "beta", "x" * 30}


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])
def test_what_a_reader_sees_as_one_character_is_never_torn(cluster):
    parts = list(chunks(cluster * 40, 50, utf16_length))
    assert all(part == cluster * (len(part) // len(cluster)) for part in parts)


def test_a_cut_code_block_is_closed_and_reopened_in_its_language():
    code = "".join(f"line_{number} = {number}\n" for number in range(20))
    parts = split(f"Look:\n\n```python\n{code}```\nDone.", 120)
    assert len(parts) > 2
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert all(part.startswith(("Look", "```python\nline_")) for part in parts)
    assert parts[-1].endswith("```\nDone.")


def test_a_code_block_moves_to_the_next_part_rather_than_be_cut_near_its_start():
    prose, code = "word " * 20, "```\n" + "code\n" * 8 + "```"
    assert split(f"{prose}\n\n{code}", 120) == (prose.strip(), code)


def test_paragraphs_are_preferred_to_lines_and_lines_to_sentences():
    assert split("a" * 30 + "\n\n" + "b" * 20 + "\n" + "c" * 20, 60) == ("a" * 30, "b" * 20 + "\n" + "c" * 20)
    assert split("One here. Two here.\nThree. Four five", 30) == ("One here. Two here.", "Three. Four five")
    assert split("One here now. Two and more of it", 24) == ("One here now.", "Two and more of it")


def test_an_endless_fence_marker_is_only_text():
    parts = split("`" * 500 + "\ncode\n" * 50, 100)
    assert all(len(part) <= 100 for part in parts)


def test_short_and_blank_texts():
    assert split("short", 100) == ("short",)
    assert split(" \n ", 100) == ()
    assert split("", 100) == ()


def test_units():
    assert [MEASURES[unit]("a😀é") for unit in TextUnit] == [3, 4, 7]


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_wellformed_text_can_be_stored_and_counts_as_before(text):
    clean = wellformed(text)
    assert "\0" not in clean
    assert byte_length(clean) == len(clean.encode())
