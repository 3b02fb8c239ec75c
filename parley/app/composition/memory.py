"""Memory: files or the store beneath, a model, an assistant or simple rules above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from parley.app.composition.embedder import make_embedder
from parley.app.settings.core_options import default_session
from parley.app.settings.load import LoadedSettings
from parley.app.storage.paths import VECTORS
from parley.core.flow_control.quarantine import Quarantine
from parley.core.model.address import User
from parley.core.ports.telemetry import NO_TELEMETRY, Telemetry
from parley.core.state.people import PersonRepository
from parley.memory.change_feed import MemoryChangeFeed
from parley.memory.learning.extraction.assistant import AssistantModel, LessonAgent
from parley.memory.learning.extraction.extractor import Extractor, ModelExtractor
from parley.memory.learning.extraction.llm import LangchainModel, ModelSettings
from parley.memory.learning.extraction.prompts import load_prompts
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.learning.queue import LearningJournal
from parley.memory.options import Groups, InjectionFormat, MemoryOptions, Ranking, Staleness, TokenCounting
from parley.memory.search.semantic.scoring import SemanticIndex
from parley.memory.service import MemoryService
from parley.memory.storage.json_files import FileMemoryStore
from parley.memory.storage.port import MemoryStore
from parley.memory.storage.sql import SqlMemoryStore

_PAGE = User("web", "local")


def make_memory(
    loaded: LoadedSettings,
    journal: LearningJournal,
    agent: LessonAgent | None,
    clock: Callable[[], float],
    quarantine: Quarantine | None = None,
    telemetry: Telemetry = NO_TELEMETRY,
    changes: MemoryChangeFeed | None = None,
) -> MemoryService:
    """Make the service as configured; `agent` has `memory.assistant`, if one learns.

    Raises ConfigError for prompts that cannot be used.
    """
    stores = loaded.settings.memory_in_store
    store: MemoryStore = SqlMemoryStore(journal) if stores else file_store(loaded)
    options, secrets = _options(loaded), _secrets(loaded)
    return MemoryService(
        store,
        journal,
        _extractor(loaded, agent),
        options,
        clock,
        _semantic_index(loaded),
        quarantine,
        secrets,
        telemetry,
        changes,
    )


async def prepare_memory(loaded: LoadedSettings, agent: LessonAgent) -> Callable[[MemoryService], None]:
    """Return what lets these settings hold for a memory that runs.

    Raises ConfigError for prompts and models that cannot be used.
    """
    extractor = _extractor(loaded, agent)
    if loaded.settings.memory.enabled:
        await extractor.open()
    options, secrets = _options(loaded), _secrets(loaded)
    return lambda memory: memory.reconfigure(options, extractor, secrets)


async def page_person(people: PersonRepository) -> str:
    """Return the person who writes on the chat page."""
    return await people.person_of(_PAGE)


def _secrets(loaded: LoadedSettings) -> tuple[str, ...]:
    return (loaded.settings.memory.model_api_key, loaded.settings.agent.model_api_key)


def _options(loaded: LoadedSettings) -> MemoryOptions:
    section = loaded.settings.memory
    return MemoryOptions(
        enabled=section.enabled,
        injection_enabled=section.injection != "off",
        storage="store" if loaded.settings.memory_in_store else "files",
        storage_path=_shown_path(loaded),
        groups=Groups(section.groups),
        per_assistant=section.per_assistant,
        first_use_notice=section.first_use_notice,
        instructions=section.instructions,
        staleness=Staleness(section.staleness),
        consolidation=section.consolidation,
        consolidation_calls=section.consolidation_calls,
        consolidation_tokens=section.consolidation_tokens,
        past_conversations_days=section.past_conversations_days,
        debounce_seconds=section.debounce_seconds,
        max_wait=section.max_wait,
        max_concurrency=section.max_concurrency,
        max_facts=section.max_facts,
        fact_confidence_threshold=section.fact_confidence_threshold,
        max_injection_tokens=section.max_injection_tokens,
        injection_format=InjectionFormat(section.injection_format),
        token_counting=TokenCounting(section.token_counting),
        ranking=Ranking(section.ranking),
        similarity_weight=section.similarity_weight,
        confidence_weight=section.confidence_weight,
        vocabulary=section.vocabulary,
    )


def _shown_path(loaded: LoadedSettings) -> str:
    """Return the memory folder's name for operators: none in the store, and no place on this machine."""
    path = Path(loaded.settings.memory.storage_path)
    inside = not (path.is_absolute() or path.parts[:1] == ("~",))
    return "" if loaded.settings.memory_in_store else str(path if inside else path.name)


def file_store(loaded: LoadedSettings) -> FileMemoryStore:
    """Return the folder of memories; its path is relative to the data folder."""
    return FileMemoryStore(loaded.data_dir / loaded.settings.memory.storage_path)


def _semantic_index(loaded: LoadedSettings) -> SemanticIndex | None:
    """Return closeness in meaning, where wanted: numpy and a model are loaded for it only."""
    section = loaded.settings.memory
    if section.embedding == "none" or not section.enabled:
        return None
    embedder = make_embedder(loaded)
    from parley.memory.search.semantic.embeddings import EmbeddingIndex

    return EmbeddingIndex(embedder, loaded.data_dir / VECTORS)


def _extractor(loaded: LoadedSettings, runs: LessonAgent | None) -> Extractor:
    """Return who learns: `memory.assistant`, `memory.model_name`, the embedded agent's model, or rules."""
    section, agent = loaded.settings.memory, loaded.settings.agent
    own = section.model_name is not None
    name = loaded.settings.memory_model
    folder = loaded.folder / section.prompts_dir if section.prompts_dir else None
    prompts = load_prompts(folder, section.vocabulary)
    if section.assistant and runs is not None:
        session = replace(default_session(loaded), assistant=section.assistant, input={}, output="")
        timeout = MemoryOptions().model_timeout
        return ModelExtractor(AssistantModel(runs, session, timeout), prompts)
    if not name:
        return RuleExtractor()
    settings = ModelSettings(
        name,
        base_url=section.base_url if own else agent.base_url,
        api_key=section.model_api_key if own else agent.model_api_key,
        temperature=section.temperature,
        timeout=MemoryOptions().model_timeout,
        vocabulary=section.vocabulary,
    )
    return ModelExtractor(LangchainModel(settings), prompts)
