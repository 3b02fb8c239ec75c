"""What a graph's state suggests to ask next: only texts that fit on buttons."""

from __future__ import annotations

import pytest

from parley.agent.stream.answer_collector import AnswerCollector
from parley.agent.stream.final_answer import TurnAnchor
from parley.core.model.types import Json


def collected(*states: Json) -> tuple[str, ...]:
    collector = AnswerCollector(TurnAnchor("m", "hello"), "")
    for state in states:
        collector.take_extras(state)
    return collector.suggestions


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        (["And tomorrow?", "Why?"], ("And tomorrow?", "Why?")),
        (["a", "a", " a\n", "b", "c", "d"], ("a", "b", "c")),
        (["  two\n lines\t", ""], ("two lines",)),
        (["x" * 75, "x" * 76, "x" * 10_000], ("x" * 75,)),
        (["\x00", "\u202eabc", " \n"], ("abc",)),
        ([1, None, ["a"], {"text": "a"}, True, "b"], ("b",)),
        (["a"] * 100_000, ("a",)),
        (["<img src=x onerror=alert(1)>", "\ud800?"], ("<img src=x onerror=alert(1)>", "\ufffd?")),
        # A press is to ask: a command would do more than its button shows.
        (["/new", "/memory forget 1", "/etc/hosts?"], ("/etc/hosts?",)),
        ([], ()),
    ],
)
def test_the_first_texts_that_fit_are_kept(found: list[Json], kept: tuple[str, ...]) -> None:
    assert collected({"suggestions": found}) == kept


def test_the_newest_list_counts_and_what_is_no_list_does_not() -> None:
    assert collected({"suggestions": ["a"]}, {"messages": []}, {"suggestions": "b"}, "text", None) == ("a",)
    assert collected({"suggestions": ["a"]}, {"suggestions": []}) == ()
    assert collected({"suggestions": ["a"]}, {"suggestions": ["b"]}) == ("b",)
