"""Two servers meet the same call of a tool that writes: one of them makes it."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from langchain.agents.middleware import ToolCallRequest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langgraph.store.base import BaseStore, Item

from parley.server.default_agent.tools.execution import CalledOnce
from parley.server.storage.interface import PostgresPlace
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


@tool
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def look_together(store: BaseStore, both: asyncio.Barrier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have whoever looks for an item go on once the other one has looked, too."""
    look = store.aget

    async def looked(*given: Any) -> Item | None:  # noqa: ANN401 - as the library has it
        found = await look(*given)
        await both.wait()
        return found

    monkeypatch.setattr(store, "aget", looked)


async def test_a_call_that_two_servers_begin_at_once_is_made_by_one(
    place: PostgresPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, made = asyncio.Barrier(2), []

    async def call(request: ToolCallRequest) -> ToolMessage:
        made.append(request.tool_call["id"])
        return ToolMessage("paid 1", tool_call_id="1")

    async def begin(store: BaseStore) -> str:
        look_together(store, both, monkeypatch)
        run = SimpleNamespace(thread_id="t", task_id="task")
        runtime: Any = SimpleNamespace(store=store, execution_info=run)
        wanted: Any = {"name": "pay", "args": {"amount": 1}, "id": "1", "type": "tool_call"}
        answer = await CalledOnce([pay]).awrap_tool_call(ToolCallRequest(wanted, pay, {}, runtime), call)
        assert isinstance(answer, ToolMessage)
        return answer.text

    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(open_postgres(place, no_index)) for _ in range(2)]
        answers = sorted(await asyncio.gather(*(begin(each.items) for each in opened)))
        assert made == ["1"]
        assert answers[0].startswith("The process ended while this tool worked.")
        assert answers[1] == "paid 1"
        assert await begin(opened[0].items) == answers[0], "whoever comes later is told the same"
