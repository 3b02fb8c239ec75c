"""Graphs by name: given as objects, factories, or paths to them."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias
from uuid import NAMESPACE_DNS, UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore

from parley.core.errors import ConfigError
from parley.server.checkpoints import Checkpoints

Graph: TypeAlias = "Pregel[Any, Any, Any, Any]"

# The namespace under which LangGraph servers name the assistant of a graph.
_ASSISTANTS = UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")


def assistant_id(graph_id: str) -> str:
    """The id of the assistant that every graph has."""
    return str(uuid5(_ASSISTANTS, graph_id))


class Graphs:
    """The graphs of one server, bound to its checkpoints and store."""

    def __init__(self, sources: Mapping[str, object], checkpoints: Checkpoints, store: BaseStore) -> None:
        self._bound = {"checkpointer": checkpoints, "store": store}
        self._sources = {name: _source(name, source) for name, source in sources.items()}
        self._ready = {
            name: self._bind(source)
            for name, source in self._sources.items()
            if isinstance(source, Pregel | StateGraph)
        }
        self._names = {assistant_id(name): name for name in self._sources} | {
            name: name for name in self._sources
        }

    @property
    def names(self) -> tuple[str, ...]:
        """All graphs, in the order given."""
        return tuple(self._sources)

    def resolve(self, assistant: str) -> str | None:
        """The graph's name for its own name or its assistant's id."""
        return self._names.get(assistant)

    async def open(self, name: str, config: RunnableConfig) -> Graph:
        """The graph, made by its factory if it has one. Raises whatever a factory raises."""
        ready = self._ready.get(name)
        if ready is not None:
            return ready
        factory: Any = self._sources[name]
        made = factory(config) if inspect.signature(factory).parameters else factory()
        return self._bind(await made if inspect.isawaitable(made) else made)

    def _bind(self, graph: object) -> Graph:
        if isinstance(graph, StateGraph):
            graph = graph.compile()
        if not isinstance(graph, Pregel):
            raise TypeError(f"not a LangGraph graph: {type(graph).__name__}")
        return graph.copy(update=self._bound)


def prunable(graph: Graph) -> bool:
    """Whether old checkpoints may go: a delta channel is rebuilt from the chain of them."""
    return not any(isinstance(channel, DeltaChannel) for channel in graph.channels.values())


def _source(name: str, source: object) -> StateGraph[Any] | Graph | Callable[..., object]:
    place = f"agent.graphs.{name}"
    if isinstance(source, str):
        source = _import(place, source)
    if isinstance(source, Pregel | StateGraph) or callable(source):
        return source
    raise ConfigError(
        f"{place}: {type(source).__name__} is no LangGraph graph and no function that makes one"
    )


def _import(place: str, path: str) -> object:
    target, _, attribute = path.rpartition(":")
    if not target or not attribute:
        raise ConfigError(f"{place}: write module:attribute or file.py:attribute, not {path!r}")
    try:
        module = _from_file(Path(target)) if target.endswith(".py") else importlib.import_module(target)
    except (ImportError, SyntaxError, OSError) as error:
        raise ConfigError(f"{place}: {target} cannot be imported: {error}") from error
    if not hasattr(module, attribute):
        raise ConfigError(f"{place}: {target} has no {attribute!r}")
    return getattr(module, attribute)


def _from_file(path: Path) -> ModuleType:
    path = path.resolve()
    # The name is the path's own, so that a file is imported once and its classes can be unpickled.
    name = f"parley_graph_{uuid5(NAMESPACE_DNS, str(path)).hex}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"no Python file at {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
