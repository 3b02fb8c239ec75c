"""Memory learns with an assistant of each server, in threads that are gone afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from parley.agent.agent import LangGraphAgent
from parley.agent.transport.http_client import AgentEndpoint
from parley.core.model.errors import MemoryFailed
from parley.core.model.types import SessionSettings
from parley.memory.learning.extraction.assistant import AssistantModel
from parley.memory.learning.extraction.extractor import ModelExtractor
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.turn_filter import select_learnable
from parley.memory.model.document import MemoryDocument
from parley.memory.search.index import FactIndex
from tests.conformance.servers import Server
from tests.kit.doubles.llm_provider import NOON, turn
from tests.kit.machine import patience


@pytest.fixture
async def agent(server: Server, tmp_path: Path) -> AsyncIterator[LangGraphAgent]:
    async with LangGraphAgent(AgentEndpoint(server.url, server.key or ""), files=tmp_path) as made:
        yield made


async def learned(agent: LangGraphAgent, assistant: str, timeout: float = 60.0) -> list[str]:
    model = AssistantModel(agent, SessionSettings(assistant), patience(timeout))
    lesson = select_learnable("ann", [turn(0, "I live in Ulm")])
    diff = await ModelExtractor(model, load_prompts()).extract(lesson, MemoryDocument(), FactIndex(()), NOON)
    return [fact.content for fact in diff.new_facts]


async def threads(client: LangGraphClient) -> set[str]:
    return {each["thread_id"] for each in await client.threads.search(limit=1000)}


async def test_an_assistant_learns_and_its_thread_is_deleted(
    agent: LangGraphAgent, client: LangGraphClient
) -> None:
    before = await threads(client)
    assert await learned(agent, "learner") == ["I live in Ulm"]
    assert await threads(client) == before


@pytest.mark.parametrize(
    ("assistant", "reason"),
    [
        ("failing", "The assistant failing failed."),
        ("ask", "The assistant ask asked a question instead."),
        ("quiet", "holds no update|said nothing"),
        ("nobody", "The assistant nobody cannot be asked"),
    ],
)
async def test_an_assistant_that_gives_no_lesson_is_a_failure_that_is_tried_again(
    agent: LangGraphAgent, client: LangGraphClient, assistant: str, reason: str
) -> None:
    before = await threads(client)
    with pytest.raises(MemoryFailed, match=reason):
        await learned(agent, assistant)
    assert await threads(client) == before


async def test_an_assistant_that_takes_too_long_is_stopped(
    agent: LangGraphAgent, client: LangGraphClient
) -> None:
    before = await threads(client)
    with pytest.raises(MemoryFailed, match="did not answer in time"):
        await learned(agent, "slow", 0.5)
    assert await threads(client) == before
