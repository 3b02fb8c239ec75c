"""A run that was cut off in the middle of a tool goes on, with other tools than it had."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.base import BaseStore

from parley.server.default_agent.run_context import RunContext
from parley.server.default_agent.tools.outside import ToolSources
from parley.server.graphs.registry import Graph
from parley.server.options import EmbeddedOptions, ToolRules
from parley.server.storage.engine import open_storage
from parley.server.storage.store_index import no_index
from tests.unit.server.conftest import on_chosen_engine


class Model(GenericFakeChatModel):
    """Says what is written down, whatever tools there are."""

    def bind_tools(self, tools: object, **kwargs: object) -> Any:  # noqa: ANN401 - as the base class
        return self


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[BaseStore]:
    """The agent server's own store, on the chosen engine."""
    options = on_chosen_engine(EmbeddedOptions(tmp_path / "agent.sqlite"))
    async with open_storage(options.database, options.postgres, no_index) as storage:
        yield storage.items


async def test_a_call_of_a_server_that_is_away_since_then_is_told_of(store: BaseStore) -> None:
    called: list[str] = []
    begun = asyncio.Event()

    async def write(name: str) -> str:
        called.append(name)
        begun.set()
        await asyncio.Event().wait()
        return "never"

    tool = StructuredTool.from_function(coroutine=write, name="notes_write", description="Write a note.")
    call = {"name": "notes_write", "args": {"name": "a"}, "id": "1"}
    model = Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("It may be written.")]))
    sources = ToolSources((), ToolRules(never_ask=("*",)), None)
    saved = InMemorySaver()

    def agent(served: Sequence[BaseTool]) -> Graph:
        outside = sources.with_served(served, (), lambda tool, who: True)
        return create_agent(
            model,
            outside.tools,
            middleware=outside.middleware,
            context_schema=RunContext,
            checkpointer=saved,
            store=store,
        )

    config: Any = {"configurable": {"thread_id": "t"}}
    first = asyncio.create_task(agent([tool]).ainvoke({"messages": ["Write a"]}, config))
    await begun.wait()
    first.cancel()
    await asyncio.wait({first})

    values = await agent([]).ainvoke(None, config)
    assert "Nobody knows whether it did its work" in values["messages"][-2].text
    assert values["messages"][-1].text == "It may be written."
    assert called == ["a"]
