"""Every kind of turn through our own client, on every kind of server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.trace_links import trace_links
from parley.agent.transport.artifacts import ThreadFiles
from parley.agent.transport.error_mapping import AgentMissing
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import RunIdentity, User
from parley.core.model.errors import AgentBusy, AgentRefused
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunEvent,
    RunMode,
    RunProgress,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.core.ports.health import Health
from parley.feedback.langfuse import trace_id
from parley.feedback.langsmith import run_uuid
from parley.feedback.options import TraceId
from tests.conformance.served import graphs
from tests.conformance.served.lead_agent import QUESTION, REPORT, lead_agent
from tests.conformance.servers import Server, embedded, official
from tests.kit.doubles.deerflow_server import MODELS, TOKEN, DeerFlowServer, serving
from tests.kit.machine import patience

HEADERS = {
    "X-DeerFlow-Internal-Token": TOKEN,
    "X-DeerFlow-Owner-User-Id": "{user_id}",
    "X-CSRF-Token": "parley",
    "Cookie": "csrf_token=parley",
}
_PROCESSES: dict[str, Callable[[Path], AbstractContextManager[Server]]] = {
    "embedded": embedded,
    "official": official,
}


@dataclass(frozen=True)
class Place:
    """A server's address; `deerflow` is the server itself where it is that one."""

    endpoint: AgentEndpoint
    deerflow: DeerFlowServer | None = None


@pytest.fixture(
    scope="module", params=["embedded", "deerflow", pytest.param("official", marks=pytest.mark.conformance)]
)
def process(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server | None]:
    start = _PROCESSES.get(request.param)
    with start(tmp_path_factory.mktemp("turns")) if start else nullcontext() as server:
        yield server


@pytest.fixture
async def place(process: Server | None) -> AsyncIterator[Place]:
    if process:
        yield Place(AgentEndpoint(process.url, process.key or ""))
        return
    async with deerflow_server() as server:
        yield Place(AgentEndpoint(f"{server.url}/api", headers=HEADERS), server)


@asynccontextmanager
async def deerflow_server() -> AsyncIterator[DeerFlowServer]:
    all_graphs = {"lead_agent": lead_agent, **{name: getattr(graphs, name) for name in graphs.NAMES}}
    async with serving(DeerFlowServer(all_graphs)) as server:
        yield server


@pytest.fixture
async def agent(place: Place, tmp_path: Path) -> AsyncIterator[LangGraphAgent]:
    gateway = place.deerflow.url if place.deerflow else ""
    async with LangGraphAgent(place.endpoint, files=tmp_path, gateway_url=gateway, rejoin_delay=0.01) as made:
        yield made


@pytest.fixture
async def deerflow(tmp_path: Path) -> AsyncIterator[tuple[DeerFlowServer, LangGraphAgent]]:
    async with deerflow_server() as server:
        endpoint = AgentEndpoint(f"{server.url}/api", headers=HEADERS)
        async with LangGraphAgent(endpoint, files=tmp_path, gateway_url=server.url) as agent:
            yield server, agent


def turn(text: str, assistant: str = "echo", **changes: object) -> RunRequest:
    values: dict[str, object] = {
        "turn_id": str(uuid4()),
        "message_id": str(uuid4()),
        "thread": str(uuid4()),
        "text": text,
        "person": User("web", "ada"),
        "session": SessionSettings(assistant),
    }
    return RunRequest(**{**values, **changes})  # type: ignore[arg-type]


async def all_of(agent: LangGraphAgent, request: RunRequest) -> list[RunEvent]:
    async with asyncio.timeout(patience(60.0)):
        return [event async for event in agent.run(request)]


async def ended(agent: LangGraphAgent, request: RunRequest) -> RunEnded:
    last = (await all_of(agent, request))[-1]
    assert isinstance(last, RunEnded)
    return last


async def began(agent: LangGraphAgent, request: RunRequest) -> RunStarted:
    """Make a run, and let go of it once it has said something."""
    started: RunStarted | None = None
    async with asyncio.timeout(patience(60.0)), aclosing(agent.run(request)) as events:
        async for event in events:
            started = event if isinstance(event, RunStarted) else started
            if started and isinstance(event, RunProgress) and event.text:
                return started
    raise AssertionError("it ended before it said anything")


@pytest.mark.parametrize("mode", RunMode)
async def test_an_answer_comes_and_the_next_turn_knows_of_it(agent: LangGraphAgent, mode: RunMode) -> None:
    first = turn("hello", mode=mode)
    assert (await ended(agent, first)).text == "You said: hello"
    second = turn("again", mode=mode, thread=first.thread)
    assert (await ended(agent, second)).text == "You said: again"
    copy = await agent.copy(first.thread)
    assert copy.count("You said: hello") == copy.count("You said: again") == 1


async def test_a_long_answer_grows(agent: LangGraphAgent) -> None:
    events = await all_of(agent, turn("x", "slow"))
    shown = [event.text for event in events if isinstance(event, RunProgress)]
    assert len(shown) > 3
    assert sorted(shown, key=len) == shown
    assert events[-1].text.endswith("w39 ")  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", RunMode)
async def test_tools_are_steps(agent: LangGraphAgent, mode: RunMode) -> None:
    end = await ended(agent, turn("weather", "tools", mode=mode))
    assert (end.outcome, end.text.endswith("It is sunny.")) == (Outcome.ANSWERED, True)
    if mode is RunMode.STREAM:
        assert [step.title for step in end.steps]


@pytest.mark.parametrize("mode", RunMode)
async def test_a_failure_is_told_with_its_reason(agent: LangGraphAgent, mode: RunMode) -> None:
    end = await ended(agent, turn("x", "failing", mode=mode))
    assert end.outcome is Outcome.FAILED
    if mode is RunMode.STREAM:
        assert end.error == "RuntimeError: model exploded"


async def test_a_run_is_stopped_and_keeps_what_was_said(agent: LangGraphAgent) -> None:
    request = turn("x", "slow")
    started = await began(agent, request)
    await agent.cancel(started.run)
    end = await ended(agent, turn("x", "slow", **of(request), known=started.run))
    assert end.outcome is Outcome.CANCELLED
    assert (await ended(agent, turn("on", thread=request.thread))).text == "You said: on"


def of(request: RunRequest) -> dict[str, object]:
    return {"thread": request.thread, "turn_id": request.turn_id, "message_id": request.message_id}


@pytest.mark.parametrize("noted", [True, False])
async def test_a_run_is_found_and_joined_again(agent: LangGraphAgent, *, noted: bool) -> None:
    request = turn("x", "slow")
    started = await began(agent, request)
    known = {"known": started.run} if noted else {"maybe_made": True}
    end = await ended(agent, turn("x", "slow", **of(request), **known))
    assert (end.outcome, end.text.endswith("w39 ")) == (Outcome.ANSWERED, True)
    assert (await agent.copy(request.thread)).count("w39 ") == 1


async def test_a_busy_thread_is_waited_for_by_us(agent: LangGraphAgent) -> None:
    request = turn("x", "slow")
    started = await began(agent, request)
    with pytest.raises(AgentBusy):
        await ended(agent, turn("two", thread=request.thread))
    await agent.cancel(started.run)


async def test_a_thread_is_forgotten_and_begins_anew(agent: LangGraphAgent) -> None:
    request = turn("one")
    await ended(agent, request)
    assert await agent.forget(request.thread)
    assert not await agent.forget(request.thread)
    assert (await ended(agent, turn("two", thread=request.thread))).text == "You said: two"
    assert "You said: one" not in await agent.copy(request.thread)


async def test_the_server_is_well_and_has_its_assistants(agent: LangGraphAgent) -> None:
    assert (await agent.health()).health is Health.UP
    assert {"echo", "slow"} <= {each.name for each in await agent.assistants()}
    assert await agent.knows("echo") is True
    assert await agent.knows("nobody") is False


async def test_feedback_names_the_run_that_tracers_see(agent: LangGraphAgent, place: Place) -> None:
    """LangSmith and Langfuse know an answer by the run at its root, or by what its metadata says."""
    request = turn("x", "traced", identity=RunIdentity("ann", "web:ada", "web", "web", "1", "1"))
    events = await all_of(agent, request)
    run = next(each.run for each in events if isinstance(each, RunStarted))
    seen = json.loads(events[-1].text)  # type: ignore[union-attr]
    said = Feedback("web:ada", request.turn_id, "web:1", FeedbackChoice.UP, 1.0, run_id=run.run_id)
    if place.deerflow is None:
        about = seen["metadata"]
        assert seen["root"] == str(run_uuid(said))
        assert about["run_id"].replace("-", "") == trace_id(said, TraceId.RUN)
    else:  # which shows its graphs no metadata
        about = next(
            body["metadata"] for method, _, body in place.deerflow.requests if body and "metadata" in body
        )
    assert trace_links(request).items() <= about.items()


async def test_deerflow_refuses_an_option_once_and_makes_each_run_once(
    deerflow: tuple[DeerFlowServer, LangGraphAgent],
) -> None:
    server, agent = deerflow
    for mode in RunMode:
        await ended(agent, turn("hello", "lead_agent", mode=mode))
    sent = [body for method, path, body in server.requests if method == "POST" and "/runs" in path]
    assert ["stream_resumable" in body for body in sent] == [True, False, False, False]
    assert len(server.runs) == 2


async def test_deerflow_presents_files(deerflow: tuple[DeerFlowServer, LangGraphAgent]) -> None:
    server, agent = deerflow
    ann = RunIdentity("slack:U1", "slack:U1", "slack", "slack", "D1", "D1:1")
    request = turn("report", "lead_agent", identity=ann)
    server.files[request.thread, REPORT] = b"# The report"
    end = await ended(agent, request)
    assert (end.outcome, end.text) == (Outcome.ANSWERED, "The report is ready.")
    (file,) = end.files
    assert (file.name, file.size) == ("report.md", len(b"# The report"))
    assert server.owners == {request.thread: ann.user_id}
    endpoint = AgentEndpoint(f"{server.url}/api", headers=HEADERS)
    with pytest.raises(AgentMissing):  # they are hers
        await ThreadFiles(server.url, endpoint).fetch(request.thread, REPORT, 100)


async def test_deerflow_asks_by_ending_its_turn(deerflow: tuple[DeerFlowServer, LangGraphAgent]) -> None:
    _, agent = deerflow
    request = turn("weather", "lead_agent")
    assert (await ended(agent, request)).text == QUESTION
    assert (await ended(agent, turn("Bonn", "lead_agent", thread=request.thread))).text == "You said: Bonn"


async def test_deerflow_says_why_it_failed_and_which_models_there_are(
    deerflow: tuple[DeerFlowServer, LangGraphAgent],
) -> None:
    _, agent = deerflow
    assert (await ended(agent, turn("loop", "lead_agent"))).error.startswith("GraphRecursionError: ")
    assert await agent.models() == MODELS
    wrong = SessionSettings("lead_agent", context={"model_name": "none"})
    with pytest.raises(AgentRefused):
        await ended(agent, turn("x", session=wrong))


async def test_deerflow_lets_nobody_in_without_its_token(
    deerflow: tuple[DeerFlowServer, LangGraphAgent], tmp_path: Path
) -> None:
    server, _ = deerflow
    async with LangGraphAgent(AgentEndpoint(f"{server.url}/api"), files=tmp_path) as stranger:
        assert (await stranger.health()).health is Health.REFUSED
