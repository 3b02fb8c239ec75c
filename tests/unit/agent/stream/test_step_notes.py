"""What an agent says of its steps with its stream writer."""

from __future__ import annotations

import pytest

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json, Step, StepSource, StepStatus
from tests.kit.samples.langgraph_messages import MESSAGE_ID


def heard(*notes: Json, tool: bool = True) -> tuple[Step, ...]:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    if tool:
        transcript.steps.call("call-1", "search_web")
    for note in notes:
        transcript.apply("custom", {"step": note}, None)
    assert transcript.text() == ""
    return transcript.steps.shown()


def test_a_tool_says_of_its_own_call_what_people_may_read() -> None:
    pages: Json = [
        {"url": "https://example.org/tariff", "title": "Tariff"},
        "https://example.org:8080/a",
        {"url": "javascript:alert(1)", "title": "no"},
        7,
    ]
    (step,) = heard(
        {"id": "call-1", "details": "tariffs of 2026"},
        {"id": "call-1", "output": "2 pages", "sources": pages},
    )
    assert (step.title, step.status) == ("Search web", StepStatus.RUNNING)
    assert (step.details, step.output) == ("tariffs of 2026", "2 pages")
    assert step.sources == (
        StepSource("https://example.org/tariff", "Tariff"),
        StepSource("https://example.org:8080/a", "example.org:8080"),
    )


def test_a_graph_has_steps_of_its_own() -> None:
    note: Json = {"id": "plan", "title": "Plan  the\nroute"}
    assert heard(note, tool=False) == (Step("plan", "Plan the route", StepStatus.RUNNING),)
    done: Json = {"id": "plan", "status": "done"}
    assert heard(note, done, tool=False) == (Step("plan", "Plan the route", StepStatus.DONE),)


@pytest.mark.parametrize("note", [{}, {"id": 1, "title": "x"}, {"title": "x"}, {"id": "x", "details": "y"}])
def test_what_names_no_step_is_nothing(note: Json) -> None:
    assert heard(note, tool=False) == ()


def test_a_runaway_writer_has_its_bounds() -> None:
    many: list[Json] = [{"id": str(n), "title": "x"} for n in range(500)]
    assert len(heard(*many)) == 100
    (step,) = heard(
        {"id": "call-1", "title": "t" * 9_000, "details": "d" * 9_000, "sources": ["https://e.org"] * 99}
    )
    assert (len(step.title), len(step.details), len(step.sources)) == (80, 500, 5)
    assert step.details.endswith("…")
