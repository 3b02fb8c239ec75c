"""How a tool is called: once, with a failure as its result, and with a result of bounded size."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from parley.server.default_agent.tools.rules import ToolAnswer, refusal, says
from parley.server.storage.interface import InsertsItems

log = logging.getLogger(__name__)

_BEGUN = "begun_tool_calls"
_MOST_TEXT = 60_000
_MOST_ERROR = 500
_UNCERTAIN = (
    "The process ended while this tool worked. Nobody knows whether it did its work, and it was not called "
    "again. Say so, and do not call it again unless the person asks for it."
)


def tell_failure(error: Exception, request: ToolCallRequest) -> str:
    """Return what the model is told of a tool that failed, or of a rule that did."""
    name = request.tool_call["name"]
    log.warning("the tool %s failed", name, exc_info=error)
    return f"{name} failed: {type(error).__name__}: {error}"[:_MOST_ERROR]


def begun_calls(thread_id: str) -> tuple[str, str]:
    """Return the store's namespace of the calls that a thread's run has begun."""
    return (_BEGUN, thread_id)


class CalledOnce(AgentMiddleware):
    """Calls a tool that writes once: a run that goes on after a crash is told that the outcome is unknown.

    A graph that was cut off in the middle of a tool runs it again. So the store keeps which calls were begun,
    until the next turn. A tool whose server did not come back is not known here any more; its call was begun
    all the same.
    """

    def __init__(self, outside: Iterable[BaseTool], *, forgets: bool = True) -> None:
        """Take care of those tools that do not say that a second call changes nothing.

        Within a task of a turn nothing is forgotten: the turn's other tasks still work.
        """
        super().__init__()
        repeatable = ("readOnlyHint", "idempotentHint")
        self._forgets = forgets
        self._names = {tool.name for tool in outside if not any(says(tool, hint) for hint in repeatable)}

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Forget the calls of earlier turns."""
        if self._forgets and runtime.store and (thread := _thread(runtime)):
            for item in await runtime.store.asearch(begun_calls(thread), limit=1_000):
                await runtime.store.adelete(item.namespace, item.key)
        return None

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """Call it, unless that was begun before."""
        store, thread = request.runtime.store, _thread(request.runtime)
        writes, gone = request.tool_call["name"] in self._names, request.tool is None
        if not (writes or gone) or not thread or store is None:
            return await handler(request)
        # A task that is run again after a crash has the same id; ids of calls are what a model makes up.
        place, key = begun_calls(thread), f"{_task(request.runtime)} {request.tool_call['id']}"
        if not isinstance(store, InsertsItems):
            raise TypeError(f"{type(store).__name__} cannot tell which of two calls was first")
        if gone:
            begun = await store.aget(place, key)
            return refusal(request, _UNCERTAIN) if begun else await handler(request)
        # One step: two servers that both take themselves for the run's would both look before either writes.
        if not await store.insert_item(place, key, {"tool": request.tool_call["name"]}):
            return refusal(request, _UNCERTAIN)
        try:
            return await handler(request)
        except GraphBubbleUp:
            await store.adelete(place, key)  # It asks a person, and runs again with the answer.
            raise


class BoundedResults(AgentMiddleware):
    """Cuts a result that is too long for any model, and shows the model no pictures of tools.

    Most providers refuse a request where a tool's result has anything but text. The thread keeps it.
    """

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Put text in the place of blocks for this call."""
        messages = [_as_text(each) if isinstance(each, ToolMessage) else each for each in request.messages]
        return await handler(request.override(messages=messages))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """Call it."""
        found = await handler(request)
        return _cut(found) if isinstance(found, ToolMessage) else found


def _as_text(message: ToolMessage) -> ToolMessage:
    if isinstance(message.content, str):
        return message
    parts = [block if isinstance(block, str) else _said(block) for block in message.content]
    return message.model_copy(update={"content": "\n".join(parts)})


def _said(block: dict[str, Any]) -> str:
    return str(block.get("text") or f"[{block.get('type', 'data')} left out]")


def _cut(message: ToolMessage) -> ToolMessage:
    if isinstance(message.content, str):
        return message.model_copy(update={"content": _cut_text(message.content)})
    blocks = [
        {**block, "text": _cut_text(block["text"])}
        if isinstance(block, dict) and isinstance(block.get("text"), str)
        else block
        for block in message.content
    ]
    return message.model_copy(update={"content": blocks})


def _cut_text(text: str) -> str:
    if len(text) <= _MOST_TEXT:
        return text
    return f"{text[:_MOST_TEXT]}\n[... {len(text) - _MOST_TEXT} characters are left out ...]"


def _thread(runtime: Any) -> str:  # noqa: ANN401 - of a run or of a tool
    """Return the id of a run's thread."""
    info = getattr(runtime, "execution_info", None)
    return str(getattr(info, "thread_id", "") or "")


def _task(runtime: Any) -> str:  # noqa: ANN401 - of a tool
    """Return the id of the task that a tool is called in."""
    return str(getattr(getattr(runtime, "execution_info", None), "task_id", ""))
