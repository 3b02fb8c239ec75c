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
from parley.server.default_agent.tools.rules import Guardrails, Offered, Policy, approvals, import_policy
from parley.server.graphs.projects import Project
from parley.server.options import DefaultAgentOptions, ToolRules, WebOptions

log = logging.getLogger(__name__)

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What every provider takes: one other name, and it refuses the whole request."""


@dataclass(frozen=True, slots=True)
class OutsideTools:
    """Tools, and the middleware that decides on their calls, outermost first."""

    tools: tuple[BaseTool, ...] = ()
    middleware: tuple[AgentMiddleware[Any, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ToolSources:
    """What is there without asking anybody: tools, the rules for all, and what the model is told of them."""

    own: tuple[BaseTool, ...]
    rules: ToolRules
    policy: Policy | None
    notes: tuple[AgentMiddleware[Any, Any], ...] = ()

    def with_served(
        self,
        served: Iterable[BaseTool],
        taken: Collection[str],
        offered: Offered | None = None,
        *,
        within_task: bool = False,
    ) -> OutsideTools:
        """Return these and the tools of servers, and what decides on their calls.

        A tool that has a name of `taken`, or that of an earlier tool, is not among them. `offered` says which
        chats have one, where there are servers. With `within_task` a task of a turn uses them.
        """
        tools = usable([*self.own, *served], taken)
        # A run that goes on after a crash meets calls of servers that are away now.
        if not tools and offered is None:
            return OutsideTools()
        most = self.rules.calls_per_run
        middleware: list[AgentMiddleware[Any, Any]] = [
            *([ToolCallLimitMiddleware(run_limit=most)] if most else []),
            ToolErrorMiddleware(tell_failure),
            Guardrails([tool.name for tool in tools], self.rules, self.policy, offered),
            *approvals(tools, self.rules),
            CalledOnce(tools, forgets=not within_task),
            BoundedResults(),
            *self.notes,
        ]
        return OutsideTools(tools, tuple(middleware))


def tool_sources(options: DefaultAgentOptions, project: Project) -> ToolSources:
    """Import what these options name. Raises ConfigError."""
    own = import_tools(options.tools, project)
    if options.web != WebOptions():
        from parley.server.default_agent.tools.web import web_tools

        own += web_tools(options.web)
    if options.workspaces is not None:
        from parley.server.default_agent.files.tools import file_tools

        own += file_tools(options.workspaces)
        if options.commands is not None:
            from parley.server.default_agent.tools.commands import command_tool

            own.append(command_tool(options.commands, options.workspaces))
    notes: list[AgentMiddleware[Any, Any]] = []
    if options.skills is not None:
        from parley.server.default_agent.skills.tools import OfferedSkills, read_skill_tool

        own.append(read_skill_tool(options.skills))
        notes.append(OfferedSkills(options.skills))
    return ToolSources(tuple(own), options.rules, import_policy(options.rules, project), tuple(notes))


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
