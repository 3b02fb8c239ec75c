"""What a state calls suggestions may be anything."""

from __future__ import annotations

import pytest

from parley.agent.stream.answer_collector import AnswerCollector
from parley.agent.stream.final_answer import TurnAnchor
from parley.core.model.types import Json


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        (["<img src=x onerror=alert(1)>", "**Why?**"], ("<img src=x onerror=alert(1)>", "**Why?**")),
        (["a" * 10_000, "b" * 76, "c" * 75], ("c" * 75,)),
        (["a\u202eb\u2066c\u200b\x00\ud800?"], ("abc\ufffd?",)),
        ([f"{number}?" for number in range(100)], ("0?", "1?", "2?")),
        ([1, None, True, {"text": "a"}, ["b"], 1.5, "c?"], ("c?",)),
        (["a?", "a?", " a?\n"], ("a?",)),
        (["/new", "/memory forget 1", "/etc/hosts?"], ("/etc/hosts?",)),
        (["", " ", "\u200b"], ()),
    ],
)
def test_only_short_texts_are_taken(found: list[Json], taken: tuple[str, ...]) -> None:
    collector = AnswerCollector(TurnAnchor("m1", "hello"), "")
    collector.take_extras({"suggestions": found})
    assert collector.suggestions == taken


@pytest.mark.parametrize("found", ["Why?", {"a": "Why?"}, 1, None])
def test_what_is_no_list_is_none(found: Json) -> None:
    collector = AnswerCollector(TurnAnchor("m1", "hello"), "")
    collector.take_extras({"suggestions": found})
    assert collector.suggestions == ()


def test_an_empty_list_takes_those_of_before_away() -> None:
    collector = AnswerCollector(TurnAnchor("m1", "hello"), "")
    collector.take_extras({"suggestions": ["Why?"]})
    collector.take_extras({"suggestions": []})
    assert collector.suggestions == ()
