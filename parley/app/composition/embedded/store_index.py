"""How items of the agent server's store are found by meaning."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from types import TracebackType

from pydantic import ValidationError

from parley.app.composition.embedder import make_embedder
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.agent_server import MEMORY_EMBEDDER, StoreIndexSection
from parley.core.model.errors import ConfigError
from parley.server.graphs.projects import Project, import_attribute, place_in
from parley.server.storage.store_index import StoreIndex

Embed = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]
_KEY = "agent_server.store_index"


def store_index(loaded: LoadedSettings) -> StoreIndex | None:
    """Return what the configuration says, or a langgraph.json beside it; None for neither.

    Raises ConfigError.
    """
    wanted = _section(loaded)
    if not wanted.embed:
        return None
    # A project was made for another server, and works without.
    optional = not loaded.settings.agent_server.store_index.embed
    return replace(_made(loaded, wanted), optional=optional)


def _made(loaded: LoadedSettings, wanted: StoreIndexSection) -> StoreIndex:
    if wanted.embed == MEMORY_EMBEDDER:
        return _of_memory(loaded, wanted)
    file = wanted.embed.rpartition(":")[0].endswith(".py")
    embed = _of_file(loaded, wanted.embed) if file else _of_provider(wanted.embed)
    return StoreIndex(embed, wanted.embed, wanted.dims, wanted.fields)


def _section(loaded: LoadedSettings) -> StoreIndexSection:
    own = loaded.settings.agent_server.store_index
    theirs = loaded.project.store_index if loaded.project else {}
    if own.embed or not theirs:
        return own
    try:
        return StoreIndexSection.model_validate({**theirs})
    except ValidationError as error:
        mistake = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in mistake["loc"])
        raise ConfigError(f"langgraph.json: store.index.{place}: {mistake['msg']}") from error


def _of_memory(loaded: LoadedSettings, wanted: StoreIndexSection) -> StoreIndex:
    if loaded.settings.memory.embedding == "none":
        raise ConfigError(f"{_KEY}.embed: memory has no embedder; set memory.embedding, or name another one")
    embedder = make_embedder(loaded)

    async def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        rows: list[list[float]] = (await asyncio.to_thread(embedder.embed, texts)).tolist()
        return rows

    close = getattr(embedder, "close", lambda: None)
    return StoreIndex(embed, embedder.name, wanted.dims, wanted.fields, close)


def _of_file(loaded: LoadedSettings, place: str) -> Embed:
    """Return a function or embeddings of LangChain that a project has."""
    theirs = loaded.project
    project = Project(loaded.folder, theirs.folders if theirs else (), theirs.environ if theirs else {})
    found = import_attribute(f"{_KEY}.embed", place_in(loaded.folder, place), project)
    embed = getattr(found, "aembed_documents", found)
    if not callable(embed):
        raise ConfigError(f"{_KEY}.embed: {place} is {type(found).__name__}; name a function of texts")

    async def call(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if inspect.iscoroutinefunction(embed):
            rows: Sequence[Sequence[float]] = await embed(list(texts))
        else:
            rows = await asyncio.to_thread(embed, list(texts))
        return rows

    return call


class _Making(AbstractContextManager[None]):
    """Tells the operator of whatever a provider's package raises, or that it is not installed."""

    def __init__(self, model: str) -> None:
        self._model = model

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            said = f"{_KEY}.embed: {self._model} cannot be used: {type(error).__name__}: {str(error)[:300]}"
            raise ConfigError(said) from error


def _of_provider(model: str) -> Embed:
    from langchain.embeddings import init_embeddings

    with _Making(model):
        made = init_embeddings(model)

    async def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return await made.aembed_documents(list(texts))

    return embed
