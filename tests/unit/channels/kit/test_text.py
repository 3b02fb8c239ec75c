"""Splitting: nothing is lost, nothing is too long, and nothing is torn that need not be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.channels.kit.text import byte_length, chunks, utf16_length, wellformed

MEASURES = [len, utf16_length, byte_length]
UNITS = st.sampled_from(MEASURES)
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


@given(MARKDOWN, st.integers(4, 200), UNITS)
def test_plain_parts_joined_are_the_text(text, limit, measure):
    parts = list(chunks(text, limit, measure))
    assert "".join(parts) == text
    assert all(measure(part) <= limit for part in parts)


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])
def test_what_a_reader_sees_as_one_character_is_never_torn(cluster):
    parts = list(chunks(cluster * 40, 50, utf16_length))
    assert all(part == cluster * (len(part) // len(cluster)) for part in parts)


def test_units():
    assert [measure("a😀é") for measure in MEASURES] == [3, 4, 7]


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_wellformed_text_can_be_stored_and_counts_as_before(text):
    clean = wellformed(text)
    assert "\0" not in clean
    assert byte_length(clean) == len(clean.encode())
