"""Markdown as Telegram shows it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.kit.text import utf16_length
from parley.channels.telegram.formatting import (
    MAX_MESSAGE_UNITS,
    FormattedMessage,
    placeholder_for,
    render,
    with_steps,
)
from parley.core.model.types import Step, StepStatus

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=400)
PIECES = st.sampled_from(
    [
        *(
            "# head\n",
            "**bold",
            "**",
            "`",
            "```py\n",
            "```\n",
            "- a\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "> q\n",
        ),
        *(
            "[x](http://y.z)",
            "[",
            "](",
            "<b>",
            "</b>",
            "<!--",
            "-->",
            "\n\n",
            "word ",
            "&lt;",
            "\\",
            "$x$",
            "||s||",
        ),
        *("\t", "😀"),
    ]
)


def one(markdown):
    (part,) = render(markdown)
    return part


@given(st.one_of(ANY_TEXT, st.lists(PIECES, max_size=60).map("".join)))
def test_any_text_at_all_becomes_messages_that_telegram_takes(markdown):
    for part in render(markdown):
        length = utf16_length(part.text)
        assert part.text.strip()
        assert length <= MAX_MESSAGE_UNITS
        assert all(e.offset >= 0 and e.length > 0 and e.offset + e.length <= length for e in part.entities)


@given(
    st.lists(
        st.sampled_from(["alpha", "x<y", "a>b", "<div>", "</p>", "<br>", "if(a<b)", "&", "5$", "_"]),
        min_size=1,
    )
)
def test_no_word_is_taken_for_markup_and_lost(words):
    # Of nothing but underscores it would be a rule.
    shown = " ".join(part.text for part in render(" ".join(["so", *words])))
    assert re.sub(r"\s", "", shown) == "so" + "".join(words)


@settings(deadline=None)
@given(st.integers(1, 3000), st.sampled_from(["word ", "😀 ", "中文。", "a line\n"]))
def test_long_answers_lose_nothing(count, piece):
    text = piece * count
    shown = "".join(part.text for part in render(text))
    assert re.sub(r"\s", "", shown) == re.sub(r"\s", "", text)


def test_marks_stay_on_their_words_over_a_cut():
    filler = "😀 filler " * 400
    parts = render(f"{filler}\n\n**important** end\n\n```python\n" + "line = 1\n" * 600 + "```")
    assert len(parts) > 2
    raw = [(part.text.encode("utf-16-le"), part.entities) for part in parts]
    bold = [
        text[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le")
        for text, entities in raw
        for e in entities
        if e.type == "bold"
    ]
    assert bold == ["important"]
    assert all(any(e.type == "pre" and e.language == "python" for e in entities) for _, entities in raw[1:])


def test_nothing_decorates_the_text():
    text = one("# Head\n\n- [ ] open\n- [x] done\n- item\n\n[link](http://a.b)").text
    assert text == "Head\n\n☐ open\n☑ done\n• item\n\nlink"


def test_html_is_shown_as_written_also_in_code():
    assert one("Use <div> and `<p>`:\n\n    <b>x</b>\n\n<https://a.b>").text == (
        "Use <div> and <p>:\n\n<b>x</b>\n\nhttps://a.b"
    )


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "relative/path", "file:///etc/passwd", "tg://user?id=1"]
)
def test_links_that_telegram_does_not_take_are_their_words_and_address(url):
    assert one(f"[here]({url})") == FormattedMessage(f"here ({url})")


def test_text_that_markdown_would_swallow_whole_is_shown_as_it_is():
    assert one("[ref]: http://x.y").text == "[ref]: http://x.y"


@pytest.mark.parametrize(
    "text", ["Hi", "Paris", "A longer answer with words.", "x" * 5000, "😀" * 40, "a\nb\nc\nd\ne"]
)
def test_a_stub_is_shorter_than_the_answer_and_openly_unfinished(text):
    short = placeholder_for(FormattedMessage(text)).text
    assert short.endswith("…")
    assert len(short) <= max(2, len(text) // 2 + 2)


def test_finished_steps_go_when_there_is_text():
    done, running = Step("1", "a_b_c", StepStatus.DONE), Step("2", "*x*", StepStatus.RUNNING)
    assert with_steps((FormattedMessage("text"),), (done,)) == (FormattedMessage("text"),)
    assert with_steps((), (done,)) == (FormattedMessage("✓ a_b_c"),)
    assert with_steps((FormattedMessage("text"),), (done, running))[0].text == "text\n\n✓ a_b_c\n⏳ *x*"
    assert len(with_steps((FormattedMessage("x" * MAX_MESSAGE_UNITS),), (running,))) == 2
