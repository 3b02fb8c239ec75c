"""Graphs by name: given as objects, factories, or paths to them."""

from __future__ import annotations

import inspect
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
)
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore
from langgraph_sdk.runtime import _ExecutionRuntime, _ReadRuntime

from parley.core.model.errors import ConfigError
from parley.server.assistant_ids import assistant_id
from parley.server.graphs.project_modules import ProjectModules
from parley.server.graphs.projects import NO_PROJECT, Project, import_attribute
from parley.server.http_errors import Problem

_log = logging.getLogger(__name__)

Graph: TypeAlias = "Pregel[Any, Any, Any, Any]"

GraphAccess: TypeAlias = Literal["threads.create_run", "threads.update", "threads.read", "assistants.read"]
"""What a graph is opened for, in the words of langgraph_sdk.runtime."""

_COLLECTING = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class _LoadedGraphs:
    """Graphs or factories, those that are ready to run, and the names of graphs by what people call them."""

    sources: Mapping[str, StateGraph[Any] | Graph | Callable[..., object]]
    ready: Mapping[str, Graph]
    names: Mapping[str, str]


class GraphRegistry:
    """The graphs of one server, bound to its checkpoints and store."""

    def __init__(
        self,
        sources: Mapping[str, object],
        checkpoints: BaseCheckpointSaver[str],
        store: BaseStore,
        project: Project = NO_PROJECT,
    ) -> None:
        """`sources` are graphs, factories, or where in the `project` they are. Raises ConfigError."""
        self._bound = {"checkpointer": checkpoints, "store": store}
        self._store = store
        self._modules = ProjectModules()
        self._project = project
        self._loaded = self._load(sources, project)

    def reload(self, sources: Callable[[], Mapping[str, object]], project: Project) -> None:
        """Import the graphs anew: runs from now on use them, those under way end with what they have.

        `sources` is called while the project's old modules are forgotten.

        Raises ConfigError; the graphs stay as they are then.
        """
        with self._modules.forgotten(self._project):
            self._loaded = self._load(sources(), project)
        self._project = project

    def files(self) -> tuple[Path, ...]:
        """The files of the project's code that the graphs are made of, as far as it was imported."""
        return self._modules.files(self._project)

    @property
    def names(self) -> tuple[str, ...]:
        """All graphs, in the order given."""
        return tuple(self._loaded.sources)

    def resolve(self, assistant: str) -> str | None:
        """The graph's name for its own name or its assistant's id."""
        return self._loaded.names.get(assistant)

    @asynccontextmanager
    async def open(
        self, name: str, config: RunnableConfig, access: GraphAccess, context: object = None
    ) -> AsyncIterator[Graph]:
        """Yield the graph, made by its factory if it has one, for as long as it is used.

        `access` tells a factory what for, `context` is that of a run. Raises whatever a factory raises.
        """
        loaded = self._loaded
        ready = loaded.ready.get(name)
        if ready is not None:
            yield ready
            return
        factory: Any = loaded.sources[name]
        made = _called(factory, config, self._runtime(access, context))
        if isinstance(made, AbstractAsyncContextManager):
            async with made as graph:
                yield self._bind(graph)
        elif isinstance(made, AbstractContextManager):
            with made as graph:
                yield self._bind(graph)
        else:
            yield self._bind(await made if inspect.isawaitable(made) else made)

    @asynccontextmanager
    async def open_to_read(
        self, name: str, config: RunnableConfig, access: GraphAccess
    ) -> AsyncIterator[Graph]:
        """Yield the graph for something else than a run. Raises Problem where its factory fails."""
        async with AsyncExitStack() as stack:
            with _Making(name):
                graph = await stack.enter_async_context(self.open(name, config, access))
            yield graph

    def _load(self, given: Mapping[str, object], project: Project) -> _LoadedGraphs:
        sources = {name: _source(name, source, project) for name, source in given.items()}
        ready = {
            name: self._bind(source)
            for name, source in sources.items()
            if isinstance(source, Pregel | StateGraph)
        }
        names = {assistant_id(name): name for name in sources} | {name: name for name in sources}
        return _LoadedGraphs(sources, ready, names)

    def _runtime(self, access: GraphAccess, context: object) -> object:
        if access == "threads.create_run":
            return _ExecutionRuntime(access_context=access, store=self._store, context=context)
        return _ReadRuntime(access_context=access, store=self._store)

    def _bind(self, graph: object) -> Graph:
        if isinstance(graph, StateGraph):
            graph = graph.compile()
        if not isinstance(graph, Pregel):
            raise TypeError(f"not a LangGraph graph: {type(graph).__name__}")
        return graph.copy(update=self._bound)


class _Making(AbstractContextManager[None]):
    """Tells clients of whatever a factory raises, which is a user's code."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            said = (
                f"The graph {self._name} cannot be made: {type(error).__name__}. The server's log says more."
            )
            _log.warning("the graph %s cannot be made", self._name, exc_info=error)
            raise Problem(500, said) from error


def can_prune(graph: Graph) -> bool:
    """Whether old checkpoints may go: a delta channel is rebuilt from the chain of them."""
    return not any(isinstance(channel, DeltaChannel) for channel in graph.channels.values())


def _source(name: str, source: object, project: Project) -> StateGraph[Any] | Graph | Callable[..., object]:
    place = f"agent.graphs.{name}"
    if isinstance(source, str):
        source = import_attribute(place, source, project)
    if isinstance(source, Pregel | StateGraph) or callable(source):
        return source
    raise ConfigError(
        f"{place}: {type(source).__name__} is no LangGraph graph and no function that makes one"
    )


def _called(factory: Callable[..., object], config: RunnableConfig, runtime: object) -> object:
    """Call a factory with what it asks for: by name or type the server's runtime, else the run's config."""
    signature = inspect.signature(factory)
    given = inspect.BoundArguments(signature, OrderedDict())
    for name, parameter in signature.parameters.items():
        asks = name == "runtime" or "ServerRuntime" in str(parameter.annotation)
        needed = parameter.default is parameter.empty and parameter.kind not in _COLLECTING
        if asks or needed or name == "config":
            given.arguments[name] = runtime if asks else config
    return factory(*given.args, **given.kwargs)
