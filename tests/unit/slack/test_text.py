"""Texts as messages: nothing lost, nothing too long, and cut where it does not hurt."""

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.channels.slack.text import MOST, Cut, layout, safe

_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=400)


@settings(max_examples=150, deadline=None)
@given(_TEXT, st.integers(1, 200), st.lists(st.integers(0, 3000), max_size=3))
def test_no_page_is_too_long_and_no_word_is_lost(text, times, at):
    whole = safe((text + "\n") * times)
    cuts = [Cut.of(whole, cut) for cut in sorted(set(at)) if 0 < cut < len(whole)]
    pages = layout(whole, cuts)
    assert all(0 < len(page) <= MOST for page in pages)
    if "`" not in whole and "~" not in whole:
        assert "".join("".join(pages).split()) == "".join(whole.split())


@given(_TEXT, _TEXT)
def test_a_text_made_safe_grows_as_it_did(text, more):
    assert safe(text + more).startswith(safe(text))


def test_a_cut_code_block_is_closed_and_reopened():
    text = "see\n\n```py\nx = 1\ny = 2\n```\nend"
    first, second = layout(text, [Cut.of(text, text.index("y ="))])
    assert first == "see\n\n```py\nx = 1\n\n```"
    assert second == "```py\ny = 2\n```\nend"


def test_a_cut_knows_its_text():
    cut = Cut.of("one two", 3)
    assert cut.fits("one other")
    assert not cut.fits("two one")
    assert not cut.fits("on")
