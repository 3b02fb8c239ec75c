"""Markdown in cards: all of its words, within the limit, and nothing that calls people or breaks a card."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.feishu.formatting import (
    MAX_CARD_BYTES,
    card,
    measure,
    plain,
    render,
    steps_text,
    summary,
)
from parley.channels.kit.markdown.outline import outline
from parley.core.model.types import Step, StepStatus
from parley.simulator.feishu.api.cards import check_card
from parley.simulator.feishu.rendering.markdown import render as read
from parley.simulator.feishu.rendering.markdown import tables


def shown(markdown: str) -> str:
    return "\n".join(read(part).text for part in render(markdown))


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("x<y and y>z <think>hm</think> end", "x<y and y>z <think>hm</think> end"),
        ("`a < b` and ```x```", "a < b and x"),
        ("![a picture](https://x.y/z.png)", "a picture"),
        ("[a file](./local.txt)", "a file (./local.txt)"),
        ("[a page](https://x.y)", "a page"),
        ("a &lt; b", "a < b"),
        ("1 < 2 & 3", "1 < 2 & 3"),
    ],
)
def test_words_stay_and_what_cards_refuse_is_rewritten(markdown, words):
    assert shown(markdown) == words


@pytest.mark.parametrize(
    "text", ["<at id=all></at>", "`<at id=all></at>`", "```\n<AT user_id=x>\n```", "</at>"]
)
def test_nobody_is_called_by_what_the_agent_says(text):
    for part in render(text):
        assert not re.search(r"<\s*/?at\b", part, re.IGNORECASE)
        assert not re.search(r"<at\b", str(plain(part)["text"]), re.IGNORECASE)


def test_code_is_left_as_it_is():
    code = '```python\nif a < b:  # ![x](y)\n    print("[z](w)")\n```'
    assert render(code) == (code,)


def test_of_many_tables_the_first_five_are_tables():
    text = "\n\n".join(f"| a{n} | b |\n|---|---|\n| c{n} | d |" for n in range(8))
    (part,) = render(text)
    check_card(dict(card(part, streaming=False)))
    assert tables(part) == 5
    assert all(f"c{n}" in part for n in range(8))


def test_steps_are_lines_where_there_is_room_under_the_text():
    step = Step("1", "look <it> up", StepStatus.RUNNING)
    assert steps_text(render("```\nopen"), [step]) == steps_text((), [step]) == "⏳ look &#60;it> up"
    assert steps_text(render("x " * 13_900), [step]) == ""


def test_the_summary_is_one_short_line_without_marks():
    assert summary("\n## **Hello** `you`\nmore") == "Hello you"
    assert len(summary("x" * 500)) <= 60


_TABLE = "| a | b |\n|---|---|\n"
_SIGNS = ("`", "**", "*", "_", "|", "\n", "\n\n", "<", ">", "[", "](", ")", "![", "# ", "- ", "\\", '"')
_RUNS = ("```", "```py\n", "~~~", _TABLE, "<at id=all>", "&#60;")
_WORDS = (*_RUNS, "👍🏽", "漢字", "word ", "\x07", "\ud800", "x" * 300)
marks = st.sampled_from([*_SIGNS, *_WORDS])
texts = st.lists(marks | st.text(max_size=20), max_size=60).map("".join)


@settings(deadline=None, max_examples=80)
@given(texts, st.integers(1, 400))
def test_any_text_makes_cards_that_are_taken(text, times):
    parts = render((text * times)[:70_000])
    for part in parts:
        for fence in outline(part).fences:
            # A picture within a block of code is left to the platform.
            part = part.replace(
                part[fence.body : fence.close], part[fence.body : fence.close].replace("![", "")
            )
        whole = card(part, streaming=True)
        assert len(json.dumps(whole, ensure_ascii=False).encode()) <= 30 * 1024
        check_card(json.loads(json.dumps(whole)))


@settings(deadline=None)
@given(
    st.lists(st.text('abc漢👍<&"\\', min_size=1, max_size=12), min_size=1, max_size=40), st.integers(1, 300)
)
def test_no_word_is_lost_however_long_the_text(words, times):
    whole = " ".join(words * times)
    parts = render(whole)
    unescaped = re.sub(r"(\\[^<])|\\<", lambda match: match[1] or "<", whole)
    assert "".join(parts).replace("&#60;", "<").replace(" ", "") == unescaped.replace(" ", "")
    assert all(measure(part) <= MAX_CARD_BYTES for part in parts)


@given(st.text(max_size=300))
def test_the_measure_is_never_too_small(text):
    clean = text.encode("utf-8", "replace").decode()
    written = json.dumps(clean.replace("<", "&#60;"), ensure_ascii=False).encode()
    assert len(written) - 2 <= measure(clean)
    assert measure(clean) >= len(clean)
