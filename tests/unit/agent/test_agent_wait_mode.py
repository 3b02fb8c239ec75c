"""Runs in wait mode: made, joined, asked how they ended, and their thread read only where that is needed."""

from __future__ import annotations

import asyncio

import pytest

from parley.agent.agent import LangGraphAgent
from parley.core.model.types import Json, Outcome, RunEnded, RunEvent, RunMode, RunRef, RunStarted
from parley.core.model.usage import TokenUsage
from tests.kit.doubles.langgraph_server import GATE, FakeServer, Script
from tests.kit.samples.langgraph_messages import THREAD, ai, answer, human, request, tool

INTERRUPT: Json = {"id": "i1", "value": "Which city?"}
USED: Json = {"input_tokens": 5, "output_tokens": 7}
CALL: Json = {"id": "c1", "name": "look", "args": {}}


async def waited(agent: LangGraphAgent) -> list[RunEvent]:
    return [event async for event in agent.run(request(mode=RunMode.WAIT))]


async def ended(agent: LangGraphAgent) -> RunEnded:
    last = (await waited(agent))[-1]
    assert isinstance(last, RunEnded)
    return last


def state(*messages: Json, **more: Json) -> dict[str, Json]:
    return {"values": {"messages": list(messages)}, **more}


async def test_it_shows_no_progress_and_finds_the_answer(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("All at once"), state=state(human(), ai("All at once")))]
    assert await waited(agent) == [
        RunStarted(RunRef(THREAD, "run-1"), reminded=False),
        RunEnded(Outcome.ANSWERED, "All at once"),
    ]


async def test_a_plain_answer_takes_three_requests(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(state=state(human(), ai("Here.", usage_metadata=USED)))]
    end = await ended(agent)
    assert (end.text, end.usage) == ("Here.", (TokenUsage("", 5, 7),))
    paths = [path.removeprefix(f"/threads/{THREAD}") for _, path, _, _ in server.requests]
    assert paths[-3:] == ["/runs", "/runs/run-1/join", "/runs/run-1"]
    assert all(path.startswith("/assistants/") for path in paths[:-3])


async def test_every_message_of_the_turn_is_the_answer(server: FakeServer, agent: LangGraphAgent) -> None:
    said = [human("old", "h0"), ai("old", "a0"), human(), ai("I look.", tool_calls=[CALL]), tool("found")]
    server.scripts = [Script(state=state(*said, ai("There it is.", "a2")))]
    assert (await ended(agent)).text == "I look.\n\nThere it is."
    assert server.asked("GET", "/state") == 0


async def test_without_a_join_the_status_is_asked_until_the_end(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.joinable = False
    server.scripts = [Script([GATE, *answer("late")], state=state(human(), ai("late")))]
    run = asyncio.create_task(ended(agent))
    await server.waiting.wait()
    server.gate.set()
    assert (await run).text == "late"


@pytest.mark.parametrize("beside", [{}, {"__error__": {"error": "ValueError", "message": "no such city"}}])
async def test_a_failure_is_seen_whatever_the_thread_holds(
    server: FakeServer, agent: LangGraphAgent, beside: dict[str, Json]
) -> None:
    server.scripts = [Script(status="error", state=state(human(), ai("preamble")), beside=beside)]
    end = await ended(agent)
    assert end.outcome is Outcome.FAILED
    assert end.error == ("ValueError: no such city" if beside else "the run's status is error")


async def test_a_cancellation_is_seen(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(status="interrupted", state=state(human()))]
    assert (await ended(agent)).outcome is Outcome.CANCELLED


@pytest.mark.parametrize("beside", [{"__interrupt__": [INTERRUPT]}, {}])
@pytest.mark.parametrize("said", [ai("Let me see.", tool_calls=[CALL]), ai("")])
async def test_a_question_is_seen_though_the_run_succeeded(
    server: FakeServer, agent: LangGraphAgent, beside: dict[str, Json], said: Json
) -> None:
    left = state(human(), said, tasks=[{"id": "t", "interrupts": [INTERRUPT]}])
    server.scripts = [Script(state=left, beside=beside)]
    end = await ended(agent)
    assert end.outcome is Outcome.ASKED
    assert [(question.id, question.prompt) for question in end.questions] == [("i1", "Which city?")]


async def test_a_question_after_plain_words_is_seen_where_the_server_tells_it(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    left = state(human(), ai("I am ready."), tasks=[{"id": "t", "interrupts": [INTERRUPT]}])
    server.scripts = [Script(state=left, beside={"__interrupt__": [INTERRUPT]})]
    end = await ended(agent)
    assert (end.outcome, end.text) == (Outcome.ASKED, "I am ready.")


async def test_a_pause_at_a_breakpoint_is_seen(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [
        Script(state=state(human(), ai("Ready."), next=["tools"]), beside={"__interrupt__": []})
    ]
    assert (await ended(agent)).outcome is Outcome.ASKED


@pytest.mark.parametrize(
    "left", [(human("old", "h0"), ai("an old answer", "a0")), (human("old", "h0"), ai("old", "a0"), human())]
)
async def test_an_older_answer_is_not_this_one(
    server: FakeServer, agent: LangGraphAgent, left: tuple[Json, ...]
) -> None:
    server.scripts = [Script(state=state(*left))]
    assert (await ended(agent)).outcome is Outcome.EMPTY


async def test_a_graph_without_messages_answers_from_its_fields(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.scripts = [Script(state={"values": {"answer": "42"}})]
    assert (await ended(agent)).text == "42"


async def test_a_run_that_was_over_when_it_was_found_is_read_from_its_thread(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.scripts = [Script(state=state(human(), ai("Done before.")))]
    assert (await ended(agent)).text == "Done before."
    again = [event async for event in agent.run(request(mode=RunMode.WAIT, known=RunRef(THREAD, "run-1")))]
    assert again[-1] == RunEnded(Outcome.ANSWERED, "Done before.")
    assert server.asked("GET", "/join") == 1
    assert server.asked("GET", "/state") == 1
