"""Tools from outside of Parley, and the middleware that they need."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ToolCallLimitMiddleware, ToolErrorMiddleware
from langchain_core.tools import BaseTool

from parley.server.default_agent.tools.execution import BoundedResults, CalledOnce, tell_failure
from parley.server.default_agent.tools.imported import import_tools
from parley.server.default_agent.tools.rules import Guardrails, approvals, import_policy
from parley.server.graphs.projects import Project
from parley.server.options import DefaultAgentOptions

log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every provider takes: one other name, and it refuses the whole request."""


@dataclass(frozen=True, slots=True)
class OutsideTools:
    """Tools, and the middleware that decides on their calls, outermost first."""

    tools: tuple[BaseTool, ...] = ()
    middleware: tuple[AgentMiddleware[Any, Any], ...] = ()


def outside_tools(options: DefaultAgentOptions, project: Project, taken: Collection[str]) -> OutsideTools:
    """Return the tools that these options name; nothing of another tool's name is among them.

    Raises ConfigError.
    """
    tools = usable(import_tools(options.tools, project), taken)
    if not tools:
        return OutsideTools()
    rules = options.rules
    limit = [ToolCallLimitMiddleware(run_limit=rules.calls_per_run)] if rules.calls_per_run else []
    middleware: list[AgentMiddleware[Any, Any]] = [
        *limit,
        ToolErrorMiddleware(tell_failure),
        Guardrails([tool.name for tool in tools], rules, import_policy(rules, project)),
        *approvals(tools, rules),
        CalledOnce(tools),
        BoundedResults(),
    ]
    return OutsideTools(tools, tuple(middleware))


def usable(tools: Iterable[BaseTool], taken: Collection[str]) -> tuple[BaseTool, ...]:
    """Return the tools whose names a model can call, without those that take the name of another."""
    found: dict[str, BaseTool] = {}
    for tool in tools:
        if not _NAME.fullmatch(tool.name):
            log.warning("the tool %.80r is left out: a name has A-Z a-z 0-9 _ - only", tool.name)
        elif tool.name in taken or tool.name in found:
            log.warning("the tool %s is left out: another one has that name", tool.name)
        else:
            found[tool.name] = tool
    return tuple(found.values())
