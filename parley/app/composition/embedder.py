"""The embedder that `memory.embedding` names: of memories, and of the agent server's store where wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parley.app.checks.embedding import MODEL_REMEDY
from parley.app.extras import require_extra
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ConfigError, MemoryFailed
from parley.memory.search.semantic.packaged_model import packaged_model

if TYPE_CHECKING:
    from parley.memory.search.semantic.embedders import Embedder


def make_embedder(loaded: LoadedSettings) -> Embedder:
    """Return it; numpy and a model are loaded for it only. Raises ConfigError."""
    section = loaded.settings.memory
    with require_extra("embedding", "memory.embedding"):
        from parley.memory.search.semantic.embedders import LocalEmbedder, RemoteEmbedder
    try:
        if section.embedding == "local":
            return LocalEmbedder(packaged_model())
    except MemoryFailed as error:
        raise ConfigError(f"memory.embedding: {error}; {MODEL_REMEDY}") from error
    return RemoteEmbedder(section.embedding, section.embedding_model, section.embedding_api_key)
