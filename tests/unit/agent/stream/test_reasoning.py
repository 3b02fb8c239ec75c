"""What a model says while it thinks, as the step "Thinking" has it where the settings want that."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json, Step, StepStatus
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, chunk, update

MOST = 4_000
HELLO: dict[str, Json] = {"type": "text", "text": "Hello"}


def heard(*events: tuple[str, Json], thoughts: bool = True) -> RunTranscript:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"), thoughts=thoughts)
    for event, data in events:
        transcript.apply(event, data, None)
    return transcript


def step(transcript: RunTranscript) -> Step:
    (found,) = transcript.steps.shown()
    return found


@pytest.mark.parametrize(
    ("provider", "blocks", "words"),
    [
        ("anthropic", [{"type": "thinking", "thinking": "Hm, so", "signature": "SIGNED"}], "Hm, so"),
        ("anthropic", [{"type": "redacted_thinking", "data": "ENCRYPTED"}], ""),
        (
            "openai",
            [
                {
                    "type": "reasoning",
                    "id": "rs_1",
                    "encrypted_content": "ENCRYPTED",
                    "summary": [{"type": "summary_text", "text": each} for each in ("First", "Then")],
                }
            ],
            "First\n\nThen",
        ),
        ("openai", [{"type": "reasoning", "id": "rs_1", "summary": []}], ""),
        ("bedrock_converse", [{"type": "reasoning_content", "reasoning_content": {"text": "Hm"}}], "Hm"),
    ],
)
def test_each_provider_s_blocks_are_read_as_langchain_reads_them(
    provider: str, blocks: list[str | dict[Any, Any]], words: str
) -> None:
    """LangChain's own translation into its blocks is the witness: both shapes say the same."""
    message = AIMessage([*blocks, HELLO], id="a1", response_metadata={"model_provider": provider})
    plain: Json = message.content  # type: ignore[assignment]
    translated: Any = message.content_blocks
    seen = [step(heard(chunk(plain))), step(heard(update(ai(plain))))] if words else []
    assert [each.output for each in seen] == [words] * len(seen)
    assert heard(update(ai(plain))).text() == "Hello"
    said = [each["reasoning"] for each in translated if each["type"] == "reasoning" and each.get("reasoning")]
    assert "\n\n".join(said) == words or provider == "bedrock_converse"
    assert "ENCRYPTED" not in str(seen)
    assert "SIGNED" not in str(seen)


def test_thoughts_grow_by_pieces_and_the_whole_message_replaces_them() -> None:
    transcript = heard(chunk([{"type": "reasoning", "reasoning": "Let me "}]))
    assert step(transcript).output == "Let me"
    for event, data in (chunk([{"type": "reasoning", "reasoning": "see"}]), chunk([HELLO])):
        transcript.apply(event, data, None)
    assert (step(transcript).output, step(transcript).status) == ("Let me see", StepStatus.DONE)
    whole: list[Json] = [{"type": "reasoning", "reasoning": "Let me see."}, HELLO]
    transcript.apply(*update(ai(whole)), None)
    assert step(transcript).output == "Let me see."
    assert transcript.text() == "Hello"
    transcript.apply(*chunk([{"type": "reasoning", "reasoning": "Once more"}], "a2"), None)
    assert (step(transcript).output, step(transcript).status) == (
        "Let me see.\n\nOnce more",
        StepStatus.RUNNING,
    )


def test_deepseek_s_words_beside_the_content_are_thoughts() -> None:
    events = [chunk("", additional_kwargs={"reasoning_content": piece}) for piece in ("Hm, ", "so")]
    assert step(heard(*events, chunk("Hello"))).output == "Hm, so"


def test_without_the_setting_the_step_has_no_words() -> None:
    thought = chunk([{"type": "reasoning", "reasoning": "SECRET"}])
    assert step(heard(thought, thoughts=False)).output == ""


def test_what_is_hidden_has_no_thoughts_either() -> None:
    event, data = chunk([{"type": "reasoning", "reasoning": "SECRET"}])
    assert isinstance(data, list)
    assert isinstance(data[1], dict)
    marks: tuple[dict[str, Json], ...] = (
        {"tags": ["nostream"]},
        {"lc_source": "title"},
        {"langgraph_checkpoint_ns": "a:1|b:2"},
    )
    for mark in marks:
        assert heard((event, [data[0], data[1] | mark])).steps.shown() == ()


def test_thoughts_without_end_are_cut_and_what_was_shown_stays() -> None:
    piece = chunk([{"type": "reasoning", "reasoning": "word " * 100}])
    transcript = heard(piece)
    before = step(transcript).output
    for number in range(100):
        transcript.apply(*piece, None)
        transcript.apply(*chunk([{"type": "reasoning", "reasoning": "x"}], f"b{number}"), None)
    assert len(step(transcript).output) == MOST
    assert step(transcript).output.startswith(before)
    assert step(transcript).output.endswith("…")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "reasoning", "reasoning": 7},
        {"type": "reasoning", "summary": ["x", 1, {"text": []}]},
        {"type": "thinking", "thinking": ["SECRET"]},
        {"type": "thinking", "text": "SECRET"},
        {"type": ["reasoning"]},
        {"type": "reasoning_content", "reasoning_content": {"text": {"text": "SECRET"}}},
    ],
)
def test_blocks_of_no_known_shape_have_no_words(block: Json) -> None:
    assert "SECRET" not in str(heard(chunk([block])).steps.shown())
