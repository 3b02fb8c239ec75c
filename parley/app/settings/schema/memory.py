"""The memory section of config.yaml; most names are the reference system's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator, model_validator

from parley.app.settings.schema.service_address import check_address
from parley.channels.kit.config import Section
from parley.memory.model.vocabulary import (
    CATEGORIES,
    MOST_CATEGORIES,
    MOST_OF_DESCRIPTION,
    MOST_TOPICS,
    NEEDED,
    TOPICS,
    MemoryVocabulary,
    is_name,
    with_descriptions,
)


class MemorySection(Section):
    """What is remembered of people, and how. Durations are seconds."""

    enabled: bool = True
    injection_enabled: bool = True
    injection: Literal["auto", "context", "message", "system", "off"] = "auto"
    storage: Literal["auto", "files", "store"] = "auto"
    storage_path: str = Field(default="memory", min_length=1)
    groups: Literal["separate", "off", "shared"] = "separate"
    per_assistant: bool = False
    first_use_notice: bool = True
    instructions: bool = True
    staleness: Literal["lower", "ask", "off"] = "lower"
    consolidation: bool = True
    consolidation_calls: int = Field(default=20, ge=0, le=10_000)
    consolidation_tokens: int = Field(default=40_000, ge=0, le=10_000_000)
    past_conversations_days: int = Field(default=30, ge=0, le=366)
    tools: bool = True
    tools_url: str = ""
    debounce_seconds: float = Field(default=30.0, ge=0, le=300)
    max_wait: float = Field(default=120.0, ge=0, le=3600)
    max_concurrency: int = Field(default=16, ge=1, le=1000)
    assistant: str = ""
    model_name: str | None = None
    model_api_key: str = ""
    base_url: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    prompts_dir: str = ""
    categories: dict[str, str] = Field(default_factory=dict, max_length=MOST_CATEGORIES)
    topics: dict[str, str] = Field(default_factory=dict, max_length=MOST_TOPICS)
    max_facts: int = Field(default=1000, ge=10, le=50_000)
    fact_confidence_threshold: float = Field(default=0.7, ge=0, le=1)
    max_injection_tokens: int = Field(default=2000, ge=100, le=8000)
    injection_format: Literal["dated", "classic"] = "dated"
    token_counting: Literal["tiktoken", "char"] = "tiktoken"  # noqa: S105 - a way of counting
    ranking: Literal["relevance", "weighted", "confidence"] = "relevance"
    similarity_weight: float = Field(default=0.6, ge=0, le=1)
    confidence_weight: float = Field(default=0.4, ge=0, le=1)
    embedding: str = "none"
    embedding_model: str = ""
    embedding_api_key: str = Field(default="", repr=False)

    @model_validator(mode="before")
    @classmethod
    def _one_switch(cls, given: object) -> object:
        """Let `injection: off` count inside; `injection_enabled` is the reference system's word for it.

        An unquoted `off` is false in YAML.
        """
        if not isinstance(given, dict):
            return given
        if any(_is_off(given.get(key)) for key in ("injection", "injection_enabled")):
            return {**given, "injection": "off", "injection_enabled": False}
        return given

    @field_validator("categories")
    @classmethod
    def _described(cls, value: dict[str, str]) -> dict[str, str]:
        return _check_names(value, CATEGORIES, "category")

    @field_validator("topics")
    @classmethod
    def _described_topics(cls, value: dict[str, str]) -> dict[str, str]:
        return _check_names(value, TOPICS, "topic")

    @property
    def vocabulary(self) -> MemoryVocabulary:
        """Return the categories and topics with their descriptions."""
        return MemoryVocabulary(
            with_descriptions(self.categories, CATEGORIES, NEEDED), with_descriptions(self.topics, TOPICS)
        )

    _addresses = field_validator("base_url", "tools_url")(check_address)

    @field_validator("embedding")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in ("none", "local") and not value.startswith(("http://", "https://")):
            raise ValueError(f'must be none, local, or the address of an embeddings service, not "{value}"')
        return value

    @field_validator("model_name")
    @classmethod
    def _named(cls, value: str | None) -> str | None:
        if value and ":" not in value:
            raise ValueError(f'must be provider:name, such as "openai:gpt-5-mini", not "{value}"')
        return value or None

    @model_validator(mode="after")
    def _patient(self) -> MemorySection:
        if self.max_wait < self.debounce_seconds:
            raise ValueError("max_wait must be at least debounce_seconds")
        if self.assistant and self.model_name:
            raise ValueError(
                "assistant and model_name are both given; write who is to learn, and remove the other"
            )
        if self.embedding.startswith("http") and not self.embedding_model:
            raise ValueError("embedding_model is empty; write the model that the service is to use")
        return self


def _check_names(named: dict[str, str], usual: Mapping[str, str], what: str) -> dict[str, str]:
    """Raise ValueError for a name that cannot be one, and for one that a model is told nothing about."""
    folded: set[str] = set()
    for name, text in named.items():
        if not is_name(name):
            raise ValueError(
                f'"{name[:40]}" cannot be the name of a {what}; write a letter, then letters, digits, - or '
                "_, at most 40 in all"
            )
        if name.casefold() in folded:
            raise ValueError(f'"{name}" is there twice; names differ by more than capital letters')
        folded.add(name.casefold())
        if not text and name not in usual:
            raise ValueError(f'"{name}" has no description; write in a few words what belongs there')
        if text and len(text) > MOST_OF_DESCRIPTION:
            raise ValueError(f'the description of "{name}" is longer than {MOST_OF_DESCRIPTION} characters')
    return named


def _is_off(value: object) -> bool:
    return str(value).strip().lower() in ("off", "false", "no", "0")
