"""Patterns of chats and topics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.core.model.address import ChatPattern, Conversation


@pytest.mark.parametrize(
    ("pattern", "chat", "topic", "fits"),
    [
        ("C1", "C1", None, True),
        ("C1", "C1", "7", True),
        ("C1", "C12", None, False),
        ("C*", "C12", "7", True),
        ("C*", "D1", None, False),
        ("*", "anything", None, True),
        ("-100?", "-1001", None, True),
        ("C[12]", "C3", None, False),
        ("C1:7", "C1", "7", True),
        ("C1:7", "C1", "8", False),
        ("C1:7", "C1", None, False),
        ("C1:*", "C1", None, False),
        ("*:7", "C9", "7", True),
        ("c1", "C1", None, False),
        ("!room:server", "!room:server", None, True),
        ("!room:server", "!room:server", "7", True),
        ("C[1", "C[1", None, True),
    ],
)
def test_what_a_pattern_fits(pattern: str, chat: str, topic: str | None, fits: bool) -> None:
    assert ChatPattern(pattern).fits(Conversation("slack", chat, topic)) is fits


def test_the_order_is_the_documented_one() -> None:
    place = Conversation("slack", "C123", "17")
    narrowest_first = ["C123:17", "C123:1*", "C123:*", "C123", "C12*:17", "C12*", "C*", "*:17", "*:*", "*"]
    assert all(ChatPattern(each).fits(place) for each in narrowest_first)
    ranked = sorted(narrowest_first, key=lambda each: ChatPattern(each).specificity(place), reverse=True)
    assert ranked == narrowest_first


@given(st.text(max_size=12), st.none() | st.text(max_size=6))
def test_an_id_written_out_always_fits(chat: str, topic: str | None) -> None:
    assert ChatPattern(chat).fits(Conversation("x", chat, topic))
