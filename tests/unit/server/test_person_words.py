"""What people wrote, among the messages of a thread."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from parley.server.person_words import person_messages, person_words

ANN, BOB = (f'<from name="{name}" account="slack:{name[0]}">' for name in ("Ann", "Bob"))


def test_what_stands_above_a_persons_message_is_not_theirs() -> None:
    above = HumanMessage("[What was said]", additional_kwargs={"hide_from_ui": True, "parley": "earlier"})
    asked, again = HumanMessage("How?"), HumanMessage("And why?")
    assert person_messages([above, asked, AIMessage("So."), above, again]) == [asked, again]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How?\n", "How?"),
        (f"{ANN}\nHow?", "How?"),
        (f"{ANN}\nHow?\n{BOB}\nAnd why?", "How?\nAnd why?"),
        (ANN, ""),
        ('What does <from account="x"> mean?', 'What does <from account="x"> mean?'),
    ],
)
def test_the_lines_that_say_who_spoke_are_not_their_words(text: str, words: str) -> None:
    assert person_words(HumanMessage(text)) == words
