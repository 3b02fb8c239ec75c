"""Graphs that fail."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from tests.agents.graphs.models import Graph, one

BLOCKED = 4.0
"""Seconds that a node holds up its event loop."""


class RateLimitError(Exception):
    """As providers' packages name it."""

    status_code = 429


class AuthenticationError(Exception):
    """As providers' packages name it."""

    status_code = 401


class OpenAIContextOverflowError(Exception):
    """As LangChain's package names it; the development server tells only names of errors."""

    status_code = 400


def _raises(error: Exception) -> Graph:
    async def fail(state: MessagesState) -> dict[str, Any]:
        raise error

    return one(fail)


raises = _raises(RuntimeError("password=hunter2"))
key_error = _raises(KeyError("missing"))
rate_limit = _raises(RateLimitError("Error code: 429 - rate limit reached for requests"))
refused_key = _raises(AuthenticationError("Error code: 401 - Incorrect API key provided"))
context_overflow = _raises(
    OpenAIContextOverflowError(
        "Error code: 400 - {'error': {'message': \"This model's maximum context length is 2000 tokens.\", "
        "'code': 'context_length_exceeded'}}"
    )
)


async def _again(state: MessagesState) -> dict[str, Any]:
    return {}


recursion = (
    StateGraph(MessagesState)
    .add_node("again", _again)
    .add_edge(START, "again")
    .add_edge("again", "again")
    .compile()
)


async def _sleep(state: MessagesState) -> dict[str, Any]:
    await asyncio.sleep(3.0)
    return {"messages": [AIMessage("I slept well.")]}


async def _block(state: MessagesState) -> dict[str, Any]:
    time.sleep(BLOCKED)  # noqa: ASYNC251 - what is tested
    return {"messages": [AIMessage("I blocked the loop.")]}


sleeps = one(_sleep)
blocks = one(_block)
