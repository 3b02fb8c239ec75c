"""Answers and files that are read from a thread, of real graphs on the embedded server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import pytest
from aiohttp import web
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import interrupt

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.attachments import UnsentFile, UnsentReason
from parley.core.model.questions import InterruptAnswer, ResumeInput
from parley.core.model.types import Outcome, RunEnded, RunMode, RunRequest, SessionSettings
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions
from parley.simulator.kit import http_server as loopback
from tests.kit.samples.langgraph_messages import request

PATH = "/mnt/user-data/outputs/report.md"


def _merged(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any]:
    return {**(old or {}), **(new or {})}


class Desk(MessagesState):
    files: Annotated[dict[str, Any], _merged]


async def _write(state: Desk) -> dict[str, Any]:
    if "write" in state["messages"][-1].text:
        return {"files": {"/report.md": "all is well", "/notes.md": "mine"}}
    return {}


async def _ask(state: Desk) -> dict[str, Any]:
    if "ask" in state["messages"][0].text:
        interrupt("Really?")
    return {}


async def _tell(state: Desk) -> dict[str, Any]:
    return {"messages": [AIMessage("It is in /report.md.")]}


async def _rewrite(state: MessagesState) -> dict[str, Any]:
    said = [HumanMessage("What was said."), AIMessage(f"After {len(state['messages'])}.")]
    return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *said]}


async def _present(state: MessagesState) -> dict[str, Any]:
    call = {"name": "present_files", "args": {"filepaths": [PATH]}, "id": "c1"}
    return {"messages": [AIMessage("Here it is.", tool_calls=[call])]}


def graph(*nodes: Any, state: Any = MessagesState) -> Any:  # noqa: ANN401 - as the library takes them
    made = StateGraph(state)
    for before, node in zip((None, *nodes), nodes, strict=False):
        made.add_node(node.__name__, node)
        made.add_edge(before.__name__ if before else START, node.__name__)
    return made


GRAPHS = {
    "desk": graph(_write, _ask, _tell, state=Desk),
    "rewrites": graph(_rewrite),
    "presents": graph(_present),
}


@pytest.fixture
async def transport(tmp_path: Path):
    async with embedded_server(EmbeddedOptions(tmp_path / "agent.sqlite", graphs=GRAPHS)) as app:
        yield StreamingASGITransport(app)


@pytest.fixture
async def agent(transport: StreamingASGITransport, tmp_path: Path):
    async with LangGraphAgent(
        AgentEndpoint("http://embedded"), files=tmp_path / "files", transport=transport
    ) as agent:
        yield agent


def asked(assistant: str, text: str, mode: RunMode, **more: Any) -> RunRequest:  # noqa: ANN401
    session = SessionSettings(assistant)
    return request(text, turn_id=uuid4().hex, message_id=str(uuid4()), session=session, mode=mode, **more)


async def ended(agent: LangGraphAgent, turn: RunRequest) -> RunEnded:
    return [event async for event in agent.run(turn) if isinstance(event, RunEnded)][-1]


@pytest.mark.parametrize("mode", list(RunMode))
async def test_a_file_comes_with_the_turn_that_wrote_it_only(agent: LangGraphAgent, mode: RunMode) -> None:
    first = await ended(agent, asked("desk", "write it", mode))
    assert [(file.name, Path(file.path).read_text()) for file in first.files] == [  # noqa: ASYNC240
        ("report.md", "all is well")
    ]
    second = await ended(agent, asked("desk", "where is it?", mode))
    assert (second.text, second.files) == ("It is in /report.md.", ())


@pytest.mark.parametrize("mode", list(RunMode))
async def test_a_file_that_was_written_before_a_question_comes_after_it(
    agent: LangGraphAgent, mode: RunMode
) -> None:
    first = await ended(agent, asked("desk", "write and ask", mode))
    assert (first.outcome, first.files) == (Outcome.ASKED, ())
    answer = ResumeInput((InterruptAnswer(first.questions[0].id, text="yes"),))
    again = await ended(agent, asked("desk", "", mode, answer=answer))
    assert (again.text, [file.name for file in again.files]) == ("It is in /report.md.", ["report.md"])


@pytest.mark.parametrize("mode", list(RunMode))
async def test_the_answer_of_a_rewritten_thread_is_found(agent: LangGraphAgent, mode: RunMode) -> None:
    assert (await ended(agent, asked("rewrites", "one", mode))).text == "After 1."
    assert (await ended(agent, asked("rewrites", "two", mode))).text == "After 3."


@pytest.mark.parametrize("mode", list(RunMode))
async def test_presented_files_are_fetched_from_the_gateway(
    transport: StreamingASGITransport, tmp_path: Path, mode: RunMode
) -> None:
    async def artifact(call: web.Request) -> web.Response:
        if call.match_info["path"] != PATH.strip("/"):
            raise web.HTTPNotFound
        return web.Response(body=b"# Report")

    app = web.Application()
    app.add_routes([web.get("/api/threads/{thread}/artifacts/{path:.+}", artifact)])
    async with (
        loopback.serving(app) as port,
        LangGraphAgent(
            AgentEndpoint("http://embedded"),
            files=tmp_path / "files",
            transport=transport,
            gateway_url=f"http://127.0.0.1:{port}",
        ) as agent,
    ):
        end = await ended(agent, asked("presents", "go", mode))
    assert [(file.name, file.size) for file in end.files] == [("report.md", 8)]


async def test_a_presented_file_that_cannot_be_fetched_is_named(agent: LangGraphAgent) -> None:
    end = await ended(agent, asked("presents", "go", RunMode.STREAM))
    assert (end.text, end.files) == ("Here it is.", ())
    assert end.unsent == (UnsentFile("report.md", UnsentReason.NOT_FETCHED),)
