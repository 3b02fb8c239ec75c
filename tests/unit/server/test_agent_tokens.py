"""Our agent's account of tokens on our own server: the same in both modes, and each turn's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.address import User
from parley.core.model.questions import InterruptAnswer, ResumeInput
from parley.core.model.types import Outcome, RunEnded, RunMode, RunRequest, SessionSettings
from parley.core.model.usage import TokenUsage
from parley.server.app import embedded_server
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.options import EmbeddedOptions


@pytest.fixture
async def agent(tmp_path: Path) -> AsyncIterator[LangGraphAgent]:
    options = EmbeddedOptions(tmp_path / "agent.sqlite", word_delay=0.0)
    async with embedded_server(options) as app:
        transport = StreamingASGITransport(app)
        async with LangGraphAgent(
            AgentEndpoint("http://embedded"), files=tmp_path / "files", transport=transport
        ) as agent:
            yield agent


async def ended(
    agent: LangGraphAgent, thread: str, text: str, mode: RunMode, answer: ResumeInput | None = None
) -> RunEnded:
    request = RunRequest(
        turn_id=uuid4().hex,
        message_id=str(uuid4()),
        thread=thread,
        text=text,
        person=User("web", "ada"),
        session=SessionSettings("agent"),
        mode=mode,
        answer=answer,
    )
    *_, last = [event async for event in agent.run(request)]
    assert isinstance(last, RunEnded)
    return last


@pytest.mark.parametrize("mode", list(RunMode))
async def test_each_turn_has_its_own_tokens(agent: LangGraphAgent, mode: RunMode) -> None:
    thread = str(uuid4())
    await ended(agent, thread, "good morning", mode)
    (used,) = (await ended(agent, thread, "one two three", mode)).usage
    assert used.model == "parley-demonstration"
    assert used.output == 5  # You said: one two three
    assert used.input > used.output


@pytest.mark.parametrize("mode", list(RunMode))
async def test_every_call_of_a_turn_counts(agent: LangGraphAgent, mode: RunMode) -> None:
    thread = str(uuid4())
    (asked,) = (await ended(agent, thread, "good morning", mode)).usage
    (with_tool,) = (await ended(agent, thread, "What time is it?", mode)).usage
    # It reads the thread twice: to ask for the clock, and with what the clock says.
    assert with_tool.input > 2 * (asked.input + asked.output)


async def test_a_run_that_goes_on_after_a_decision_counts_only_its_own(agent: LangGraphAgent) -> None:
    totals: list[list[TokenUsage]] = []
    for mode in RunMode:
        thread = str(uuid4())
        asks = await ended(agent, thread, "Send an e-mail to ada@example.org, saying hello", mode)
        assert asks.outcome is Outcome.ASKED
        yes = ResumeInput((InterruptAnswer(asks.questions[0].id, "approve"),))
        goes_on = await ended(agent, thread, "", mode, yes)
        assert goes_on.outcome is Outcome.ANSWERED
        totals.append([*asks.usage, *goes_on.usage])
    streamed, waited = totals
    assert len(streamed) == 2
    assert streamed == waited
