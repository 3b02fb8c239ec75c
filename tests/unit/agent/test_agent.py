"""LangGraphAgent against a server on loopback that breaks in every way."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.errors import AgentBusy, AgentRefused, AgentUnavailable
from parley.core.model.questions import InterruptAnswer, ResumeInput
from parley.core.model.types import (
    Json,
    Outcome,
    RunEnded,
    RunEvent,
    RunMode,
    RunProgress,
    RunRef,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.core.ports.telemetry import NoTelemetry, working_on
from tests.kit.doubles.langgraph_server import GATE, FakeServer, Frame, Script
from tests.kit.samples.langgraph_messages import (
    MESSAGE_ID,
    THREAD,
    ai,
    answer,
    chunk,
    human,
    request,
    tool,
    update,
)


async def events(agent: LangGraphAgent, asked: RunRequest) -> list[RunEvent]:
    return [event async for event in agent.run(asked)]


async def ended(agent: LangGraphAgent, asked: RunRequest) -> RunEnded:
    last = (await events(agent, asked))[-1]
    assert isinstance(last, RunEnded)
    return last


def state(*messages: Json, **more: Json) -> dict[str, Json]:
    return {"values": {"messages": list(messages)}, **more}


async def test_a_run_starts_grows_and_ends(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script([chunk("Hel"), GATE, chunk("lo"), update(ai("Hello"))])]
    seen = []
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            seen.append(event)
            if isinstance(event, RunProgress):
                server.gate.set()
    assert seen[0] == RunStarted(RunRef(THREAD, "run-1"), reminded=False)
    assert seen[1] == RunProgress("Hel", ())
    assert seen[-1] == RunEnded(Outcome.ANSWERED, "Hello")
    assert server.asked("GET", "/state") == server.asked("GET", "/runs/run-1") == 0


class Traced(NoTelemetry):
    def trace_parent(self, turn: str) -> str:
        return f"00-{turn}-00f067aa0ba902b7-01"


async def test_the_server_is_told_of_the_trace(server: FakeServer, agent: LangGraphAgent) -> None:
    turn = "4bf92f3577b34da6a3ce929d0e0e4736"
    server.scripts = [Script(answer("ok")), Script(answer("ok"))]
    with working_on(turn, Traced()):
        await ended(agent, request())
    assert server.requests[-1][2]["traceparent"] == f"00-{turn}-00f067aa0ba902b7-01"
    await ended(agent, request())
    assert "traceparent" not in server.requests[-1][2]


async def test_the_run_carries_what_finds_it_again(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("ok"))]
    session = SessionSettings("agent", {"configurable": {"a": 1}, "tags": ["t"]}, {"b": 2})
    await ended(agent, request(session=session))
    (body,) = server.bodies("/runs/stream")
    assert body["metadata"] == {
        "parley_turn": "turn-1",
        "trace_id": "turn-1",
        "session_id": THREAD,
        "langfuse_session_id": THREAD,
    }
    assert body["input"]["messages"] == [{"type": "human", "id": MESSAGE_ID, "content": "hi"}]
    assert body["context"] == {"b": 2}
    assert body["config"] == {"recursion_limit": 100, "tags": ["t"], "configurable": {"a": 1}}
    assert (body["multitask_strategy"], body["on_disconnect"]) == ("reject", "continue")
    assert body["stream_resumable"] is True
    assert server.requests[-1][2]["x-api-key"] == "key"


async def test_keys_of_the_environment_are_never_sent(
    server: FakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "not yours")
    server.scripts = [Script(answer("ok"))]
    async with LangGraphAgent(AgentEndpoint(server.url), files=tmp_path) as agent:
        await ended(agent, request())
    assert all("not yours" not in headers.values() for _, _, headers, _ in server.requests)


async def test_a_run_makes_its_thread_itself_once_its_graph_is_known(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.scripts = [Script(answer("a"))]
    assert (await ended(agent, request())).text == "a"
    paths = [path for _, path, _, _ in server.requests]
    assert paths == ["/assistants/search", "/assistants/x/schemas", f"/threads/{THREAD}/runs/stream"]


@pytest.mark.parametrize("mode", list(RunMode))
async def test_a_server_that_runs_on_existing_threads_only_has_them_made(
    server: FakeServer, agent: LangGraphAgent, mode: RunMode
) -> None:
    """Its first refusal tells; from then on a thread is made once, before its run."""
    server.threads_first = True
    server.scripts = [Script(answer(text), state=state(human(), ai(text))) for text in "abc"]
    other = "7c0f8a52-1d5e-4b0f-8f4e-5e3c1f0a9b11"
    texts = [
        (await ended(agent, request(mode=mode))).text,
        (await ended(agent, request(turn_id="turn-2", thread=other, mode=mode))).text,
        (await ended(agent, request(turn_id="turn-3", thread=other, mode=mode))).text,
    ]
    assert texts == ["a", "b", "c"]
    assert [body["thread_id"] for body in server.bodies("/threads")] == [THREAD, other]
    assert server.asked("POST", "/runs") + server.asked("POST", "/runs/stream") == 4


async def test_a_thread_that_the_server_lost_is_made_again(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("a")), Script(answer("b"))]
    await ended(agent, request())
    server.threads.clear()
    assert (await ended(agent, request(turn_id="turn-2"))).text == "b"


@pytest.mark.parametrize("cuts", [[0], [1], [2], [3, 1, 0, 1], [1] * 12])
async def test_a_broken_stream_is_joined_again(
    server: FakeServer, agent: LangGraphAgent, cuts: list[int]
) -> None:
    pieces = [f"{n} " for n in range(10)]
    whole = "".join(pieces)
    frames = [*answer(*pieces[:5])[:-1], GATE, *(chunk(each) for each in pieces[5:]), update(ai(whole))]
    server.scripts = [Script(frames, state=state(human(), ai(whole)))]
    server.cuts = cuts
    texts = []
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            if isinstance(event, RunProgress):
                texts.append(event.text)
                server.gate.set()
            last = event
    assert last == RunEnded(Outcome.ANSWERED, whole)
    assert all(whole.startswith(text) for text in texts)
    assert len(server.runs) == 1


async def test_what_was_missed_is_read_from_the_thread(server: FakeServer, agent: LangGraphAgent) -> None:
    lost, heard = answer("one", message_id="a1"), answer("two", message_id="a2")
    whole = state(human(), ai("one", "a1"), ai("two", "a2"))
    server.scripts = [Script([*lost, GATE, *heard], state=whole)]
    server.replays, server.cuts = False, [2]
    run = asyncio.create_task(ended(agent, request()))
    await server.joined.wait()
    server.gate.set()
    assert (await run).text == "one\n\ntwo"


async def test_a_run_that_ends_while_we_are_cut_off_is_read_from_the_thread(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    said = [ai("Let me look.", "a1"), tool("noon"), ai("It is noon.", "a2")]
    server.scripts = [Script([update(each) for each in said], state=state(human(), *said))]
    server.cuts = [3]
    assert (await ended(agent, request())).text == "Let me look.\n\nIt is noon."
    assert not server.joined.is_set()


async def test_a_server_whose_history_fails_answers_without_the_files_of_its_state(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    """Aegra 0.6 answers 500 to each question for a history; the answer of its run is there all the same."""
    said = [ai("Let me look.", "a1"), tool("noon"), ai("It is in /report.md.", "a2")]
    files: Json = {"/report.md": {"content": "noon"}}
    left: dict[str, Json] = {"values": {"messages": [human(), *said], "files": files}}
    server.scripts = [Script([update(each) for each in said], state=left)]
    server.cuts, server.refusals = [3], [("/history", 500)]
    ended_so = await ended(agent, request())
    assert (ended_so.text, ended_so.files) == ("Let me look.\n\nIt is in /report.md.", ())
    assert not server.refusals


async def test_the_newest_text_needs_nothing_to_follow(server: FakeServer, agent: LangGraphAgent) -> None:
    pieces = [str(n) for n in range(10)]
    server.scripts = [Script([*(chunk(piece) for piece in pieces), GATE, update(ai("".join(pieces)))])]
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            if isinstance(event, RunProgress) and event.text == "".join(pieces):
                server.gate.set()
    assert isinstance(event, RunEnded)


@pytest.mark.parametrize("ids", [True, False])
async def test_a_run_told_again_is_shown_once(server: FakeServer, agent: LangGraphAgent, ids: bool) -> None:
    server.scripts = [
        Script([chunk("one "), GATE, chunk("two")], ids=ids, state=state(human(), ai("one two")))
    ]
    server.cuts = [2]
    texts = []
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            if isinstance(event, RunProgress):
                texts.append(event.text)
                server.gate.set()
    assert set(texts) <= {"one ", "one two"}


async def test_ids_that_repeat_are_not_resumed_from(server: FakeServer, agent: LangGraphAgent) -> None:
    frames = [chunk("one "), chunk("two "), GATE, chunk("three"), GATE, update(ai("one two three"))]
    server.scripts = [Script(frames, state=state(human(), ai("one two three")), same_id=True)]
    server.cuts = [2]
    texts = []
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            if isinstance(event, RunProgress):
                texts.append(event.text)
                if event.text == "one two ":
                    server.gate.set()
    assert "one two " in texts


async def test_without_an_end_event_the_run_is_asked_for(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("fine"), end=False)]
    assert await ended(agent, request()) == RunEnded(Outcome.ANSWERED, "fine")
    assert server.asked("GET", "/runs/run-1") == 1


async def test_an_error_ends_the_run_and_stays_in_the_log(server: FakeServer, agent: LangGraphAgent) -> None:
    error: Frame = ("error", {"error": "RuntimeError", "message": "model exploded"})
    server.scripts = [Script([chunk("So far"), error], status="error")]
    end = await ended(agent, request())
    assert (end.outcome, end.text, end.error) == (Outcome.FAILED, "So far", "RuntimeError: model exploded")


async def test_a_failed_run_without_an_error_event_failed(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script([chunk("So far")], status="error", end=False)]
    assert (await ended(agent, request())).outcome is Outcome.FAILED


async def test_a_run_without_words_is_empty(server: FakeServer, agent: LangGraphAgent) -> None:
    old = [human("before", "h0"), ai("old answer", "a0")]
    server.scripts = [Script([update(ai(""))], state=state(*old, human(), ai("")))]
    assert await ended(agent, request()) == RunEnded(Outcome.EMPTY)


async def test_a_cancelled_run_keeps_what_was_said(server: FakeServer, agent: LangGraphAgent) -> None:
    old = [human("before", "h0"), ai("old answer", "a0")]
    server.scripts = [Script([chunk("Half of"), GATE], state=state(*old, human()))]
    async with aclosing(agent.run(request())) as run:
        async for event in run:
            if isinstance(event, RunProgress):
                await agent.cancel(RunRef(THREAD, "run-1"))
    assert event == RunEnded(Outcome.CANCELLED, "Half of")


async def test_cancelling_what_is_over_is_no_error(server: FakeServer, agent: LangGraphAgent) -> None:
    await agent.cancel(RunRef(THREAD, "run-9"))


async def test_a_run_rolled_back_is_cancelled(server: FakeServer, agent: LangGraphAgent) -> None:
    server.threads[THREAD] = state(human("before", "h0"), ai("old answer", "a0"))
    asked = request(known=RunRef(THREAD, "run-1"))
    assert (await ended(agent, asked)).outcome is Outcome.CANCELLED


async def test_a_run_lost_with_its_thread_is_made_again(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("second")), Script(answer("third"))]
    await ended(agent, request(turn_id="turn-0"))
    server.threads.clear()
    server.runs.clear()
    asked = request(known=RunRef(THREAD, "run-1"))
    assert (await ended(agent, asked)).text == "third"


async def test_a_known_run_that_goes_on_is_heard_from_its_start(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.scripts = [Script([chunk("one "), GATE, chunk("two"), update(ai("one two"))])]
    server.scripts[0].state = state(human(), ai("one two"))
    first = agent.run(request())
    started = await anext(first)
    await anext(first)
    await first.aclose()
    assert isinstance(started, RunStarted)
    texts = []
    async with aclosing(agent.run(request(known=RunRef(THREAD, "run-1")))) as run:
        async for event in run:
            if isinstance(event, RunProgress):
                texts.append(event.text)
                server.gate.set()
    assert (texts[0], event) == ("one ", RunEnded(Outcome.ANSWERED, "one two"))
    assert len(server.runs) == 1


async def test_a_known_run_that_is_over_is_read_from_its_thread(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    later = [human("before", "h0"), ai("old", "a0"), human(), ai("mine")]
    server.scripts = [Script(answer("mine"), state=state(*later))]
    await ended(agent, request())
    assert (await ended(agent, request(known=RunRef(THREAD, "run-1")))).text == "mine"


async def test_a_run_perhaps_made_is_looked_for_first(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("mine"), state=state(human(), ai("mine")))]
    await ended(agent, request())
    assert (await ended(agent, request(maybe_made=True))).text == "mine"
    assert len(server.runs) == 1


async def test_a_run_perhaps_made_but_absent_is_made(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script(answer("mine"))]
    assert (await ended(agent, request(maybe_made=True))).text == "mine"


async def test_a_lost_answer_to_the_start_makes_no_second_run(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    server.scripts = [Script(answer("mine"), state=state(human(), ai("mine")))]
    server.silent_posts = 1
    assert (await ended(agent, request())).text == "mine"
    assert len(server.runs) == 1


async def test_somebody_elses_run_makes_it_busy(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script([GATE]), Script()]
    other = asyncio.create_task(ended(agent, request(turn_id="other")))
    await server.waiting.wait()
    with pytest.raises(AgentBusy):
        await ended(agent, request())
    server.gate.set()
    await other


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, AgentRefused),
        (403, AgentRefused),
        (422, AgentRefused),
        (429, AgentUnavailable),
        (500, AgentUnavailable),
    ],
)
async def test_a_refused_start_is_told_without_the_servers_words(
    server: FakeServer, agent: LangGraphAgent, status: int, error: type[Exception]
) -> None:
    server.scripts = [Script(answer("never"))]
    server.refusals = [("/runs/stream", status)]
    with pytest.raises(error) as raised:
        await ended(agent, request())
    assert "SECRET" not in str(raised.value)
    assert ("credentials" in str(raised.value)) == (status == 401)


async def test_an_unknown_assistant_is_refused(server: FakeServer, agent: LangGraphAgent) -> None:
    server.refusals = [("/runs/stream", 404)] * 2
    with pytest.raises(AgentRefused):
        await ended(agent, request())


async def test_nobody_there_is_unavailable(tmp_path: Path) -> None:
    async with LangGraphAgent(AgentEndpoint("http://127.0.0.1:9"), files=tmp_path) as agent:
        with pytest.raises(AgentUnavailable):
            await ended(agent, request())


INTERRUPT: Json = {"id": "i1", "value": "Which city?", "response_schema": None}


async def test_an_interrupt_asks(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script([update(ai("Let me see.")), ("updates", {"__interrupt__": [INTERRUPT]})])]
    end = await ended(agent, request())
    assert (end.outcome, end.text) == (Outcome.ASKED, "Let me see.")
    assert [(question.id, question.prompt) for question in end.questions] == [("i1", "Which city?")]


async def test_an_answer_resumes_by_id(server: FakeServer, agent: LangGraphAgent) -> None:
    before = [human("plan a trip", "h0"), ai("Let me see.", "a0")]
    server.threads[THREAD] = state(*before, tasks=[{"id": "t", "interrupts": [INTERRUPT]}])
    server.scripts = [Script(answer("Rome it is."), end=False)]
    end = await ended(agent, request("Rome", answer=ResumeInput((InterruptAnswer("i1", "Rome"),))))
    assert server.bodies("/runs/stream")[0]["command"] == {"resume": {"i1": "Rome"}}
    assert "input" not in server.bodies("/runs/stream")[0]
    assert end.text == "Rome it is."


@pytest.mark.parametrize("waiting", [[], [{"id": "i2", "value": "Delete all?"}]])
async def test_an_answer_that_comes_too_late_is_a_message(
    server: FakeServer, agent: LangGraphAgent, waiting: list[Json]
) -> None:
    server.threads[THREAD] = state(human("x", "h0"), ai("old", "a0"), interrupts=waiting)
    server.scripts = [Script(answer("Hm?"))]
    end = await ended(agent, request("approve", answer=ResumeInput((InterruptAnswer("i1", "approve"),))))
    (body,) = server.bodies("/runs/stream")
    assert "command" not in body
    assert body["input"]["messages"][0]["content"] == "approve"
    assert end.text == "Hm?"


async def test_a_click_that_comes_too_late_is_refused(server: FakeServer, agent: LangGraphAgent) -> None:
    server.threads[THREAD] = state(human("x", "h0"), ai("old", "a0"))
    with pytest.raises(AgentRefused, match="no longer waits"):
        await ended(agent, request("", answer=ResumeInput((InterruptAnswer("i1", "approve"),))))
    assert not server.bodies("/runs/stream")


async def test_a_resumed_run_joined_later_has_no_older_text(
    server: FakeServer, agent: LangGraphAgent
) -> None:
    before = [human("plan a trip", "h0"), ai("Let me see.", "a0")]
    server.threads[THREAD] = state(*before, interrupts=[INTERRUPT])
    server.scripts = [Script(answer("Rome."), state=state(*before, ai("Rome."), interrupts=[]))]
    server.cuts = [1]
    assert (
        await ended(agent, request("Rome", answer=ResumeInput((InterruptAnswer("i1", "Rome"),))))
    ).text == "Rome."


async def test_a_breakpoint_asks_whether_to_go_on(server: FakeServer, agent: LangGraphAgent) -> None:
    paused = state(human(), next=["tools"])
    server.scripts = [Script([("updates", {"__interrupt__": []})], state=paused), Script(answer("Done."))]
    end = await ended(agent, request())
    assert end.questions[0].action == "tools"
    reply = ResumeInput((InterruptAnswer(end.questions[0].id, "yes"),))
    assert (await ended(agent, request("yes", turn_id="2", answer=reply))).text == "Done."
    assert not server.bodies("/runs/stream")[1].keys() & {"input", "command"}


async def test_closing_the_iterator_leaves_the_run_going(server: FakeServer, agent: LangGraphAgent) -> None:
    server.scripts = [Script([GATE, *answer("later")])]
    run = agent.run(request())
    await anext(run)
    await run.aclose()
    assert server.runs["run-1"].status == "running"
    assert server.asked("POST", "/cancel") == 0


async def test_a_tool_turn_has_steps(server: FakeServer, agent: LangGraphAgent) -> None:
    call: Json = {"name": "get_weather", "args": "{", "id": "c1", "index": 0}
    frames: list[Frame] = [
        chunk("", tool_call_chunks=[call]),
        ("messages", [tool("sunny"), {"langgraph_node": "tools"}]),
        *answer("It is sunny.", message_id="a2"),
    ]
    server.scripts = [Script(frames)]
    end = await ended(agent, request())
    assert [(step.title, step.status.value) for step in end.steps] == [("Get weather", "done")]


async def test_a_file_in_the_answer_is_stored(server: FakeServer, agent: LangGraphAgent) -> None:
    block: Json = {"type": "image", "base64": "aGk=", "mime_type": "image/png"}
    server.scripts = [Script([update(ai([{"type": "text", "text": "Here"}, block]))])]
    end = await ended(agent, request())
    assert await asyncio.to_thread(Path(end.files[0].path).read_bytes) == b"hi"
    assert end.text == "Here"
