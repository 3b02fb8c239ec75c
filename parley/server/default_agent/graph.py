"""The agent that serves where the user brought no graph: LangChain's, on the configured models."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ModelFallbackMiddleware,
    ModelRequest,
    ModelResponse,
    TodoListMiddleware,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph_sdk.runtime import ServerRuntime

from parley.core.model.errors import ConfigError
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, TOOLS_KEY, MemoryTools
from parley.server.default_agent.context_window import ContextLimit, ContextWindow, ConversationSummary
from parley.server.default_agent.models import ChosenModel, chat_model
from parley.server.default_agent.prompt import Instructions
from parley.server.default_agent.remembered_facts import RememberedFacts
from parley.server.default_agent.run_context import RunContext, identity_of, local_now, value_of
from parley.server.default_agent.run_limits import run_limits
from parley.server.default_agent.tools.outside import OutsideTools, tool_sources
from parley.server.default_agent.vision import PicturesForModels
from parley.server.graphs.projects import NO_PROJECT, Project
from parley.server.graphs.registry import Graph
from parley.server.memory_tools import memory_tools
from parley.server.options import OUR_WAY, DefaultAgentOptions, ModelOptions, SubagentOptions

if TYPE_CHECKING:
    from parley.server.default_agent.mcp.servers import McpServers


_MOST_GRAPHS = 16
"""Graphs that are kept ready. To make one takes some milliseconds."""


class MemoryToolsWhereGranted(AgentMiddleware):
    """Shows the model the memory tools in runs that may use them, and in no others."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = frozenset(names)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Leave the tools out of this call where the run has no token."""
        if value_of(request.runtime.context, TOOLS_KEY):
            return await handler(request)
        others = [
            each for each in request.tools if not isinstance(each, BaseTool) or each.name not in self._names
        ]
        return await handler(request.override(tools=others))


class Build(Protocol):
    """Makes the graph with tools of servers beside its own."""

    def __call__(self, served: Sequence[BaseTool], servers: McpServers | None = None) -> Graph:
        """Make it."""
        ...


class AgentWithServers:
    """Makes the graph for a run, with the tools that its MCP servers have then."""

    def __init__(self, servers: McpServers, build: Callable[[Sequence[BaseTool]], Graph]) -> None:
        self._servers, self._build = servers, build
        self._made: dict[tuple[int, ...], tuple[Graph, Sequence[BaseTool]]] = {}
        self._graph_with(())

    async def __call__(self, config: RunnableConfig, runtime: ServerRuntime[Any]) -> Graph:
        """Return the graph; what only looks at a thread does not wait for servers."""
        runs = runtime.access_context == "threads.create_run"
        who = identity_of(config.get("configurable"))
        tools = await self._servers.tools(who) if runs else self._servers.known()
        return self._graph_with(tools)

    def _graph_with(self, tools: Sequence[BaseTool]) -> Graph:
        """Return the graph with these very tools: people with accounts may have different ones."""
        key = tuple(map(id, tools))
        # The tools are kept with it: an id is of an object that is there. The newest is the last.
        made = self._made.pop(key, None) or (self._build(tools), tools)
        self._made[key] = made
        if len(self._made) > _MOST_GRAPHS:
            del self._made[next(iter(self._made))]
        return made[0]

    async def aclose(self) -> None:
        """Leave the servers."""
        await self._servers.aclose()


def agent_graph(
    models: Sequence[ModelOptions],
    options: DefaultAgentOptions = OUR_WAY,
    now: Callable[[], datetime] = local_now,
    tools: MemoryTools = NO_MEMORY_TOOLS,
    project: Project = NO_PROJECT,
) -> Graph | AgentWithServers:
    """Return LangChain's agent on these models, of which the first answers where nobody chooses.

    Raises ConfigError for a model, a file or a tool that cannot be used.
    """
    build = _builder(models, options, now, tools, project)
    if options.mcp is None:
        return build(())
    # The packages of MCP take half a second and 20 MB: only who has servers pays.
    from parley.server.default_agent.mcp.servers import McpServers

    servers = McpServers(options.mcp)
    return AgentWithServers(servers, partial(build, servers=servers))


def _builder(
    models: Sequence[ModelOptions],
    options: DefaultAgentOptions,
    now: Callable[[], datetime],
    tools: MemoryTools,
    project: Project,
) -> Build:
    """Make ready all that does not change; returns what makes a graph of it and the tools of servers."""
    ready = {each.name: chat_model(each) for each in models}
    window = ContextWindow(options.context_window, options.summarize_at)
    of_memory = memory_tools(tools)
    taken = {*(names := {each.name for each in of_memory}), "ask_person", "write_todos"}
    sources, fallbacks = tool_sources(options, project), _fallbacks(ready, options.fallbacks)
    beside = _beside(ready, options)

    def build(served: Sequence[BaseTool], servers: McpServers | None = None) -> Graph:
        offered = partial(sources.with_served, taken=taken, offered=servers.offered if servers else None)
        tasks = _tasks(options, ready, partial(offered, served, within_task=True), now)
        outside = offered([*tasks.tools, *served])
        # The first is the outermost: a fallback is called with all that the ones after it do.
        middleware: list[AgentMiddleware[Any, Any]] = [
            *run_limits(options.rules),
            ConversationSummary(ready, window),
            ChosenModel(ready),
            *beside,
            *fallbacks,
            MemoryToolsWhereGranted(names),
            *tasks.middleware,
            *outside.middleware,
            *([TodoListMiddleware()] if options.todos else []),
            Instructions(options.prompt_file, now),
            *_notes(servers),
            RememberedFacts(),
            PicturesForModels(),
            ContextLimit(),
        ]
        usable = [*of_memory, *_asking(options), *outside.tools]
        return create_agent(ready[models[0].name], usable, middleware=middleware, context_schema=RunContext)

    return build


def _beside(
    ready: Mapping[str, BaseChatModel], options: DefaultAgentOptions
) -> list[AgentMiddleware[Any, Any]]:
    """Return what has models write beside the answers. Raises ConfigError."""
    found: list[AgentMiddleware[Any, Any]] = []
    # What is off loads nothing.
    if options.titles:
        from parley.server.default_agent.titles import ThreadTitle

        found.append(ThreadTitle(_named(ready, options.titles, "titles")))
    if options.suggestions:
        from parley.server.default_agent.suggestions import SuggestedMessages

        found.append(SuggestedMessages(_named(ready, options.suggestions, "suggestions")))
    return found


def _asking(options: DefaultAgentOptions) -> list[BaseTool]:
    if not options.clarification:
        return []
    from parley.server.default_agent.tools.clarification import ask_person_tool

    return [ask_person_tool()]


def _tasks(
    options: DefaultAgentOptions,
    ready: Mapping[str, BaseChatModel],
    usable: Callable[[], OutsideTools],
    now: Callable[[], datetime],
) -> OutsideTools:
    """Return the tool that hands tasks to subagents. Raises ConfigError."""
    if options.tasks is None:
        return OutsideTools()
    from parley.server.default_agent.subagents import DEFAULT_PROMPT, SpentTokens, subagents, task_tool

    inner, fallbacks = usable(), _fallbacks(ready, options.fallbacks)

    def make(agent: SubagentOptions, tools: Sequence[BaseTool]) -> Graph:
        own = {agent.model: _named(ready, agent.model, "subagents")} if agent.model else ready
        middleware = [
            *run_limits(options.rules),
            ConversationSummary(own, ContextWindow(options.context_window, options.summarize_at)),
            ChosenModel(own),
            *fallbacks,
            *inner.middleware,
            Instructions(None, now, agent.prompt or DEFAULT_PROMPT),
            PicturesForModels(),
            ContextLimit(),
        ]
        model = next(iter(own.values()))
        return create_agent(model, tools, middleware=middleware, context_schema=RunContext, name=agent.name)

    spent = SpentTokens()
    return OutsideTools((task_tool(subagents(options.tasks, inner, make), options.tasks, spent),), (spent,))


def _notes(servers: McpServers | None) -> list[AgentMiddleware[Any, Any]]:
    if servers is None:
        return []
    from parley.server.default_agent.mcp.servers import AwayServers

    return [AwayServers(servers)]


def _fallbacks(
    ready: Mapping[str, BaseChatModel], names: Sequence[str]
) -> Sequence[AgentMiddleware[Any, Any]]:
    first, *others = (_named(ready, name, "fallbacks") for name in names) if names else (None,)
    return [] if first is None else [ModelFallbackMiddleware(first, *others)]


def _named(ready: Mapping[str, BaseChatModel], name: str, key: str) -> BaseChatModel:
    if name not in ready:
        raise ConfigError(f"built_in.{key}: {name} must be in agent.models, too")
    return ready[name]
