"""Subagents: agents with a conversation of their own, which the default agent hands tasks to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
from langchain.tools import ToolRuntime
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool

from parley.core.model.types import StepStatus
from parley.server.default_agent.tools.outside import OutsideTools
from parley.server.default_agent.tools.rules import ToolAnswer, matches
from parley.server.graphs.registry import Graph
from parley.server.options import GENERAL_PURPOSE, SubagentOptions, TaskOptions

TASK = "task"
GENERAL = SubagentOptions(GENERAL_PURPOSE, "Any task that takes several steps; it has all your tools.")
DEFAULT_PROMPT = (
    "You work on one task for another agent, which sees nothing but your last message. Put the whole result "
    "in it. You cannot ask back. Today is {date}."
)
_ABOUT = (
    "Hand a task to another agent, which works on it alone and returns one report. It knows nothing of this "
    "conversation: write all that it needs to know, and what to return. Call it several times at once for "
    "tasks that do not need each other. The person does not see the report. `agent` is one of:\n"
)
_MOST_LINES = 12
_MOST_TITLE = 60
"""Characters of a task: with them a line on a platform has room for what is done now."""


@dataclass(frozen=True, slots=True)
class Subagent:
    """One that tasks can be handed to."""

    name: str
    description: str
    graph: Graph


def subagents(
    options: TaskOptions, inner: OutsideTools, make: Callable[[SubagentOptions, Sequence[BaseTool]], Graph]
) -> list[Subagent]:
    """Return those of the options and the one for all purposes, each with the tools that it may use."""
    named = {each.name: each for each in (GENERAL, *options.agents)}
    return [
        Subagent(name, each.description, make(each, [t for t in inner.tools if matches(t.name, each.tools)]))
        for name, each in named.items()
    ]


class SpentTokens(AgentMiddleware):
    """Tells with a task's result, also with a failure, what its models took: nobody else hears of them."""

    def __init__(self) -> None:
        super().__init__()
        self._works: dict[str, _Work] = {}

    def note(self, runtime: ToolRuntime[Any, Any], work: _Work) -> None:
        """Take note of the work of a call."""
        self._works[_call(runtime, runtime.tool_call_id)] = work

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """Call it."""
        call = _call(request.runtime, request.tool_call["id"])
        try:
            found = await handler(request)
        finally:
            work = self._works.pop(call, None)
        if work is None or not isinstance(found, ToolMessage):
            return found
        more = {**found.additional_kwargs, "parley_spent": work.spent()}
        return found.model_copy(update={"additional_kwargs": more})


def task_tool(agents: Sequence[Subagent], options: TaskOptions, spent: SpentTokens) -> BaseTool:
    """Return the tool that hands a task to one of them."""
    known = {each.name: each for each in agents}
    at_once: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def task(description: str, agent: str, runtime: ToolRuntime[Any, Any]) -> str:
        if agent not in known:
            raise ValueError(f"there is no agent {agent[:64]}; there are: {', '.join(known)}")
        turn = at_once.setdefault(_thread(runtime), asyncio.Semaphore(options.most_at_once))
        work = _Work(agent, description, runtime)
        spent.note(runtime, work)
        if turn.locked():
            work.show(StepStatus.PENDING)
        async with turn:
            work.show()
            try:
                async with asyncio.timeout(options.timeout):
                    await work.run(known[agent].graph)
            except TimeoutError as error:
                raise TimeoutError(
                    f"{agent} did not finish within {options.timeout:g} seconds; what it began may be done"
                ) from error
        return work.report()

    listed = "\n".join(f"- {each.name}: {each.description}" for each in agents)
    return StructuredTool.from_function(
        coroutine=task, name=TASK, description=_ABOUT + listed, metadata={"readOnlyHint": True}
    )


class _Work:
    """A task that is worked on, which is one step of the reply, whatever it takes."""

    def __init__(self, agent: str, description: str, runtime: ToolRuntime[Any, Any]) -> None:
        self._agent, self._description, self._runtime = agent, description, runtime
        self._title = f"{agent}: {_shortened(description)}"
        self._messages: Sequence[AnyMessage] = ()
        self._names: dict[str, str] = {}

    async def run(self, graph: Graph) -> None:
        """Have it done. A run that goes on after a question or a crash goes on within the task, too."""
        given = {"messages": [HumanMessage(self._description)]}
        values: Mapping[str, Any]
        async for values in graph.astream(given, context=self._runtime.context, stream_mode="values"):
            self._messages = values.get("messages", ())
            before = len(self._names)
            self._names |= {
                str(call["id"]): call["name"]
                for message in self._messages
                if isinstance(message, AIMessage)
                for call in message.tool_calls
            }
            if len(self._names) > before:
                self.show()

    def show(self, status: StepStatus = StepStatus.RUNNING) -> None:
        """Show the task, and as output what was done for it so far; the last line is what it does now."""
        names = [name.replace("_", " ") for name in self._names.values()]
        step = {
            "id": self._runtime.tool_call_id,
            "title": self._title,
            "status": status.value,
            "details": self._description,
            "output": "\n".join(names[-_MOST_LINES:]),
        }
        self._runtime.stream_writer({"step": step})

    def spent(self) -> list[dict[str, Any]]:
        """Return the messages of its models without their words."""
        return [
            {
                "type": "ai",
                "id": message.id,
                "usage_metadata": message.usage_metadata,
                "response_metadata": {"model_name": str(message.response_metadata.get("model_name", ""))},
            }
            for message in self._messages
            if isinstance(message, AIMessage) and message.usage_metadata
        ]

    def report(self) -> str:
        """Return its last words. Raises ValueError where there are none."""
        for message in reversed(self._messages):
            if isinstance(message, AIMessage) and message.text.strip():
                return message.text
        raise ValueError(f"{self._agent} said nothing")


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TITLE else f"{line[: _MOST_TITLE - 1]}…"


def _thread(runtime: ToolRuntime[Any, Any]) -> str:
    return str(runtime.config.get("configurable", {}).get("thread_id", ""))


def _call(runtime: ToolRuntime[Any, Any], call: str | None) -> str:
    """Return what a call is known by; its id is what a model makes up."""
    return f"{_thread(runtime)} {call}"
