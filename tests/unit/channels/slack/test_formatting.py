"""Texts as messages: nothing lost, nothing too long, and cut where it does not hurt."""

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.slack.formatting import MAX_MESSAGE_CHARS, SplitPoint, escape_mentions, split_messages

_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=400)


@settings(max_examples=150, deadline=None)
@given(_TEXT, st.integers(1, 200), st.lists(st.integers(0, 3000), max_size=3))
def test_no_page_is_too_long_and_no_word_is_lost(text, times, at):
    whole = escape_mentions((text + "\n") * times)
    cuts = [SplitPoint.at_offset(whole, cut) for cut in sorted(set(at)) if 0 < cut < len(whole)]
    pages = split_messages(whole, cuts)
    assert all(0 < len(page) <= MAX_MESSAGE_CHARS for page in pages)
    if "`" not in whole and "~" not in whole:
        assert "".join("".join(pages).split()) == "".join(whole.split())


@given(_TEXT, _TEXT)
def test_a_text_made_safe_grows_as_it_did(text, more):
    assert escape_mentions(text + more).startswith(escape_mentions(text))


def test_a_cut_code_block_is_closed_and_reopened():
    text = "see\n\n```py\nx = 1\ny = 2\n```\nend"
    first, second = split_messages(text, [SplitPoint.at_offset(text, text.index("y ="))])
    assert first == "see\n\n```py\nx = 1\n\n```"
    assert second == "```py\ny = 2\n```\nend"


def test_a_cut_knows_its_text():
    cut = SplitPoint.at_offset("one two", 3)
    assert cut.fits("one other")
    assert not cut.fits("two one")
    assert not cut.fits("on")
