"""Which tools may be used, and which ask first."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from langchain.agents.middleware import (
    AgentMiddleware,
    HumanInTheLoopMiddleware,
    InterruptOnConfig,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
)
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command

from parley.core.model.errors import ConfigError
from parley.server.default_agent.run_context import identity_of
from parley.server.graphs.projects import Project, import_attribute
from parley.server.options import ToolRules

ToolAnswer = ToolMessage | Command[Any]
Offered = Callable[[str, Mapping[str, Any]], bool]
"""Whether the chat of an identity has a tool."""
Policy = Callable[[str, Mapping[str, Any], Mapping[str, Any]], object]
"""Asked with the tool's name, its arguments and the run's identity: True, or why not."""
_POLICY = "built_in.guardrails.policy"
_MOST_REASON = 500
CONFINED = "confinedHint"
"""What a tool of ours says of itself that changes nothing but the conversation's workspace."""


def says(tool: BaseTool, hint: str) -> bool:
    """Return whether a tool says this of itself, in MCP's words such as `readOnlyHint`."""
    return (tool.metadata or {}).get(hint) is True


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether one of the patterns is that of a name."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def asks_first(tool: BaseTool, rules: ToolRules) -> bool:
    """Return whether a person is asked before each call.

    Unless they are not to be, or it only reads, or it changes nothing but the conversation's workspace.
    """
    if matches(tool.name, rules.always_ask):
        return True
    harmless = says(tool, "readOnlyHint") or says(tool, CONFINED)
    return not (harmless or matches(tool.name, rules.never_ask))


def approvals(tools: Iterable[BaseTool], rules: ToolRules) -> list[AgentMiddleware[Any, Any]]:
    """Return the middleware that asks before calls of the tools that ask first."""
    decisions = InterruptOnConfig(allowed_decisions=["approve", "edit", "reject"])
    asking = {tool.name: decisions for tool in tools if asks_first(tool, rules)}
    # A call at a time: one that the guardrails refuse is never asked about.
    return [HumanInTheLoopMiddleware(dict(asking), interrupt_mode="per_call")] if asking else []


def import_policy(rules: ToolRules, project: Project) -> Policy | None:
    """Return the function that is asked before each call. Raises ConfigError."""
    if not rules.policy:
        return None
    found = import_attribute(_POLICY, rules.policy, project)
    if not callable(found):
        raise ConfigError(f"{_POLICY}: {rules.policy} is {type(found).__name__}; name a function")
    return found


class Guardrails(AgentMiddleware):
    """Hides tools that a run may not use from the model, and refuses their calls whatever the model says."""

    def __init__(
        self, outside: Iterable[str], rules: ToolRules, policy: Policy | None, offered: Offered | None = None
    ) -> None:
        """`outside` are the tools that the rules are for; `offered` says of one whether a chat has it."""
        super().__init__()
        self._allowed = {
            name: matches(name, rules.allow) and not matches(name, rules.deny) for name in outside
        }
        self._policy, self._offered = policy, offered

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Leave out of this call what the run may not use."""
        who = identity_of(request.runtime.context)
        tools = [
            tool for tool in request.tools if not isinstance(tool, BaseTool) or self._may(tool.name, who)
        ]
        return await handler(request.override(tools=tools))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """Refuse what the run may not use, and what the policy says no to."""
        name, who = request.tool_call["name"], identity_of(request.runtime.context)
        if not self._may(name, who):
            return refusal(request, f"The tool {name} may not be used here.")
        if name not in self._allowed:
            return await handler(request)
        if self._policy and (why := await _refused(self._policy, name, request.tool_call["args"], who)):
            return refusal(request, why)
        return await handler(request)

    def _may(self, name: str, who: Mapping[str, Any]) -> bool:
        allowed = self._allowed.get(name, True)
        return allowed and (self._offered is None or self._offered(name, who))


def refusal(request: ToolCallRequest, why: str) -> ToolMessage:
    """Return the result of a call that is not made."""
    call = request.tool_call
    return ToolMessage(why, tool_call_id=call["id"], name=call["name"], status="error")


async def _refused(policy: Policy, name: str, args: Mapping[str, Any], who: Mapping[str, Any]) -> str:
    """Return why a policy refuses a call, "" where it agrees. What it raises ends the call, too."""
    said = policy(name, args, who)
    if inspect.isawaitable(said):
        said = await said
    if said is True:
        return ""
    return said[:_MOST_REASON] if isinstance(said, str) and said else f"A rule forbids {name} here."
