"""Calls of the built-in agent that nobody reads have their price: titles, suggestions, summaries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

from starlette.responses import JSONResponse, Response

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.types import RunEnded, RunRequest, SessionSettings
from parley.core.model.usage import TokenUsage
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import DefaultAgentOptions, EmbeddedOptions, ModelOptions
from tests.kit.doubles.llm_provider import completion, provider
from tests.unit.server.default_agent.small_model import SUMMARY_ASKED

_HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
_TITLE, _SUMMARY, _ANSWER = (1_000, 10), (20_000, 300), (7, 3)
_SUGGESTED = (500, 40)


def _counted(text: str, read: int, written: int, asked: dict[str, Any]) -> Response:
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    if not asked.get("stream"):
        return JSONResponse({**completion({"content": text}), "usage": usage})
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    pieces = [{**_HEAD, "choices": [delta]}, {**_HEAD, "choices": [], "usage": usage}]
    body = "".join(f"data: {json.dumps(each)}\n\n" for each in pieces)
    return Response(f"{body}data: [DONE]\n\n", media_type="text/event-stream")


def _answer(asked: dict[str, Any]) -> Response:
    words = json.dumps(asked["messages"])
    if "Write a title" in words:
        return _counted("Much to say", *_TITLE, asked)
    if "may well want to send next" in words:
        return _counted('["And then?"]', *_SUGGESTED, asked)
    if SUMMARY_ASKED in words:
        return _counted("They talked.", *_SUMMARY, asked)
    return _counted("Yes.", *_ANSWER, asked)


async def _usage(agent: LangGraphAgent, thread: str, text: str) -> tuple[TokenUsage, ...]:
    request = RunRequest(
        uuid4().hex, str(uuid4()), thread, text, User("web", "ada"), SessionSettings("agent")
    )
    *_, ended = [event async for event in agent.run(request)]
    assert isinstance(ended, RunEnded)
    assert ended.text == "Yes."
    return ended.usage


async def test_titles_and_summaries_are_counted_where_they_were_made(tmp_path: Path) -> None:
    async with provider() as model:
        model.answers[:] = [_answer]
        options = EmbeddedOptions(
            tmp_path / "agent.sqlite",
            models=(ModelOptions("m", "openai:m", model.url, "key", report_tokens=True),),
            default_agent=DefaultAgentOptions(context_window=1_000, titles="m"),
        )
        async with (
            embedded_server(options) as server,
            LangGraphAgent(
                AgentEndpoint("http://embedded"), files=tmp_path, transport=StreamingASGITransport(server)
            ) as agent,
        ):
            thread = str(uuid4())
            used = [await _usage(agent, thread, f"{number}: {'words ' * 150}") for number in range(6)]
    both = (_TITLE[0] + _ANSWER[0], _TITLE[1] + _ANSWER[1])
    assert used[0] == (TokenUsage("m", *both),)
    assert used[1] == (TokenUsage("m", *_ANSWER),)
    summed = TokenUsage("m", _SUMMARY[0] + _ANSWER[0], _SUMMARY[1] + _ANSWER[1])
    assert (summed,) in used[2:]
    assert {each for (each,) in used[1:]} <= {TokenUsage("m", *_ANSWER), summed}


async def test_suggestions_are_counted_with_the_turn_that_they_follow(tmp_path: Path) -> None:
    async with provider() as model:
        model.answers[:] = [_answer]
        options = EmbeddedOptions(
            tmp_path / "agent.sqlite",
            models=(ModelOptions("m", "openai:m", model.url, "key", report_tokens=True),),
            default_agent=DefaultAgentOptions(suggestions="m"),
        )
        async with (
            embedded_server(options) as server,
            LangGraphAgent(
                AgentEndpoint("http://embedded"), files=tmp_path, transport=StreamingASGITransport(server)
            ) as agent,
        ):
            thread = str(uuid4())
            used = [await _usage(agent, thread, f"{number}") for number in range(2)]
    both = (_SUGGESTED[0] + _ANSWER[0], _SUGGESTED[1] + _ANSWER[1])
    assert used == [(TokenUsage("m", *both),)] * 2
