"""Runs that would go on and on end with a sentence for the person."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelCallLimitMiddleware, hook_config
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from parley.core.texts import AgentSentence, language_of, say
from parley.server.default_agent.run_context import identity_of
from parley.server.options import ToolRules


def run_limits(rules: ToolRules) -> list[AgentMiddleware[Any, Any]]:
    """Return the middleware that ends runs by these rules."""
    calls, most = rules.model_calls_per_run, rules.same_calls_per_run
    return [
        *([LimitedModelCalls(calls)] if calls else []),
        *([RepeatedCalls(most)] if most else []),
    ]


class LimitedModelCalls(ModelCallLimitMiddleware[Any, Any]):
    """Ends a run that has called its model too often; LangChain counts, what is said is ours."""

    def __init__(self, most: int) -> None:
        super().__init__(run_limit=most)
        self._most = most

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:  # noqa: ANN401
        """Return the end with its sentence, once it is time."""
        if super().before_model(state, runtime) is None:
            return None
        return _ended(runtime, AgentSentence.RUN_MODEL_CALLS, count=self._most)


class RepeatedCalls(AgentMiddleware[Any, Any]):
    """Ends a run that calls a tool with the same arguments again and again, and always has the same result.

    What is asked for until something changes, such as the state of a job, is no loop once it does.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Return the end with its sentence, once it is time."""
        tool, count = _repeated(state["messages"])
        if count < self._most:
            return None
        return _ended(runtime, AgentSentence.RUN_REPEATS, tool=tool, count=count)


def _ended(runtime: Runtime[Any], sentence: AgentSentence, **values: object) -> dict[str, Any]:
    language = language_of(str(identity_of(runtime.context).get("language", "")))
    return {"jump_to": "end", "messages": [AIMessage(say(language, sentence, **values))]}


def _repeated(messages: Sequence[AnyMessage]) -> tuple[str, int]:
    """Return the tool whose call had the same result most often in this run, and how often."""
    begin = max((at for at, each in enumerate(messages) if isinstance(each, HumanMessage)), default=-1)
    calls: dict[str | None, tuple[str, str]] = {}
    newest: dict[tuple[str, str], tuple[str, int]] = {}
    for message in messages[begin + 1 :]:
        if isinstance(message, AIMessage):
            calls |= {
                call["id"]: (call["name"], json.dumps(call["args"], sort_keys=True, default=str))
                for call in message.tool_calls
            }
        elif isinstance(message, ToolMessage) and message.tool_call_id in calls:
            call, result = calls[message.tool_call_id], str(message.content)
            before, count = newest.get(call, ("", 0))
            newest[call] = (result, count + 1 if result == before else 1)
    return max(
        ((name, count) for (name, _), (_, count) in newest.items()), key=lambda each: each[1], default=("", 0)
    )
