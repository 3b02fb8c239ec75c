"""Markdown for cards and for plain messages."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.dingtalk.formatting import (
    CARD_PART,
    MAX_PART_BYTES,
    card_parts,
    card_to_plain,
    plain_parts,
    title,
    wire_bytes,
    with_steps,
)
from parley.core.model.types import Step, StepStatus

ANYTHING = st.text(max_size=400) | st.text(alphabet="a b|-`~#*<>&\n\\[]()!1.", max_size=400)


@settings(max_examples=300)
@given(ANYTHING)
def test_no_word_is_lost_whatever_the_text(text):
    words = re.findall(r"\w+", text.encode("utf-8", "ignore").decode().replace("\0", ""))
    for parts in (card_parts(text), plain_parts(text), card_to_plain(card_parts(text))):
        shown = " ".join(parts).replace("&lt;", "<")
        assert all(word in shown for word in words)


@settings(max_examples=60)
@given(st.lists(ANYTHING, max_size=5), st.sampled_from(["\n\n", "\n", " "]), st.integers(1, 60))
def test_no_part_is_larger_than_a_request_takes(pieces, between, times):
    text = between.join(pieces * times)
    for part in plain_parts(text):
        assert wire_bytes(part) <= MAX_PART_BYTES
        assert part.strip()
    for part in card_parts(text):
        assert len(part) <= CARD_PART
        assert part.strip()


@given(st.text() | st.text(alphabet='a"\\\n\t\x07é漢👍'))
def test_length_is_that_of_json_within_json(text):
    written = json.dumps({"p": json.dumps({"t": text}, ensure_ascii=False)}, ensure_ascii=False)
    empty = json.dumps({"p": json.dumps({"t": ""}, ensure_ascii=False)}, ensure_ascii=False)
    assert wire_bytes(text) == len(written.encode()) - len(empty.encode())


def test_length_is_counted_as_the_wire_has_it():
    assert wire_bytes("abc") == 3
    assert wire_bytes("你") == 3
    assert wire_bytes('"') == 4
    assert len(plain_parts("\n" * 3 + '"' * 10_000)) == 3


def test_what_looks_like_a_tag_is_shown_and_code_stays_as_it_is():
    (part,) = card_parts("x<y and <think>hm</think>, `<b>` a < b\n\n```html\n<b>\n```\n<https://a.b>")
    assert part == "x&lt;y and &lt;think>hm&lt;/think>, `<b>` a < b\n\n```html\n<b>\n```\n<https://a.b>"


def test_tables_stay_in_cards_and_become_lists_in_plain_messages():
    table = "Who:\n\n| name | age |\n|---|:-:|\n| ann | 41 |\n| bob \\| b | |\n\nThat is all."
    assert card_parts(table) == (table,)
    (plain,) = plain_parts(table)
    assert "- name: ann · age: 41\n- name: bob | b · age" in plain
    assert plain.endswith("That is all.")


def test_a_table_in_code_and_a_line_with_bars_are_no_tables():
    text = "```\n| a | b |\n|---|---|\n```\n\na | b\nc | d"
    assert card_to_plain((text,)) == ("> \u00a0| a | b |  \n> \u00a0|---|---|  \n\na | b  \nc | d",)


def test_lines_of_a_paragraph_stay_apart_in_plain_messages():
    assert plain_parts("one\ntwo\n\n- three\n- four") == ("one  \ntwo\n\n- three\n- four",)


def test_the_title_is_the_first_words_without_marks():
    assert title("\n## **The** `plan`\n\nmore") == "The plan"
    assert title("- [a](b)") == "- a (b)"
    assert len(title("word " * 100)) <= 50
    assert title("***") == "…"


def test_steps_are_lines_while_they_run_or_while_there_is_nothing_else():
    running = (Step("1", "look <it> up", StepStatus.RUNNING),)
    done = (Step("1", "look it up", StepStatus.DONE),)
    assert with_steps((), running) == ("⏳ look &lt;it> up",)
    assert with_steps(("so",), running) == ("so\n\n⏳ look &lt;it> up",)
    assert with_steps((), done) == ("✓ look it up",)
    assert with_steps(("so",), done) == ("so",)
