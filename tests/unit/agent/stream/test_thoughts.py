"""Thoughts between tags are no answer, however the text comes in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parley.agent.stream.event_ids import FROM_START
from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.thoughts import split_thoughts
from parley.agent.stream.transcript import RunTranscript
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, chunk, update

SECRET = "SECRET"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("<think>SECRET</think>\n\nHi", "Hi"),
        ("<thinking>SECRET</thinking>Hi", "Hi"),
        ("One. <think>SECRET</think>Two.", "One. Two."),
        ("<think>SECRET</think><think>SECRET</think>Hi", "Hi"),
        ("<think>SECRET", ""),
        ("SECRET\n</think>\n\nHi", "Hi"),
        ("In code `<think>x</think>` stays.", "In code `<think>x</think>` stays."),
        ("```\n<think>x</think>\n```\n<think>SECRET</think>Hi", "```\n<think>x</think>\n```\nHi"),
        ("It opens with <think> and no more.", "It opens with <think> and no more."),
        ("a < b <thinker>", "a < b <thinker>"),
        ("close `</think>` in words", "close `</think>` in words"),
    ],
)
def test_what_stands_between_tags_is_left_out(text: str, shown: str) -> None:
    assert split_thoughts(text, ended=True)[0] == shown


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.sampled_from(["think", "thinking"]))
def test_a_tag_in_pieces_never_shows_a_thought(cuts: list[int], tag: str) -> None:
    whole = f"<{tag}>{SECRET} and {SECRET}</{tag}>\n\nThe answer."
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    at = 0
    for cut in [*cuts, len(whole)]:
        transcript.apply(*chunk(whole[at : at + cut]), None)
        at += cut
        assert not {"<", "S", "E"} & set(transcript.text())
    assert transcript.text() == "The answer."
    transcript.apply(*update(ai(whole)), None)
    assert transcript.text() == transcript.final(concluded=True).text == "The answer."


def test_a_thought_is_a_step_while_it_goes_on() -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))

    def steps() -> list[tuple[str, str]]:
        transcript.text()
        return [(step.title, step.status.value) for step in transcript.steps.shown()]

    transcript.apply(*chunk("<think>SEC"), None)
    assert steps() == [("Thinking", "running")]
    transcript.apply(*chunk("RET"), None)
    assert steps() == [("Thinking", "running")]
    transcript.apply(*chunk("</think>Hi"), None)
    assert steps() == [("Thinking", "done")]
    assert transcript.rejoin() == FROM_START
