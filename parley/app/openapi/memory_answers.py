"""Memories and their configuration as the API answers them: schema 1.0 of the reference system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict  # of `typing` only from Python 3.12 on, says pydantic

from parley.app.openapi.answers import MemorySwitchAnswer
from parley.core.ports.memory.admin import MemoryHealth


class SummaryAnswer(TypedDict):
    """A summary; both are empty where there is none."""

    summary: str
    updatedAt: str


@with_config(ConfigDict(extra="allow"))
class MemoryUserAnswer(TypedDict):
    """What is known of a person now; summaries of an operator's own topics stand beside these."""

    workContext: SummaryAnswer
    personalContext: SummaryAnswer
    topOfMind: SummaryAnswer


class MemoryHistoryAnswer(TypedDict):
    """What is known of a person's past."""

    recentMonths: SummaryAnswer
    earlierContext: SummaryAnswer
    longTermBackground: SummaryAnswer


class FactOriginAnswer(TypedDict, total=False):
    """Where a fact was said, as far as that is known."""

    conversation: str
    link: str
    speaker: str


class FactAnswer(TypedDict):
    """A fact. Of what the reference system does not have, only what says something is there."""

    id: str
    content: str
    category: str
    confidence: float
    createdAt: str
    source: str
    sourceError: NotRequired[str]
    shared: NotRequired[bool]
    subject: NotRequired[str]
    keywords: NotRequired[list[str]]
    lastConfirmedAt: NotRequired[str]
    accounts: NotRequired[list[str]]
    validFrom: NotRequired[str]
    until: NotRequired[str]
    origin: NotRequired[FactOriginAnswer]


class MemoryAnswer(TypedDict):
    """One person's memory."""

    version: str
    lastUpdated: str
    user: MemoryUserAnswer
    history: MemoryHistoryAnswer
    facts: list[FactAnswer]


class MemoryConfigAnswer(TypedDict):
    """The configuration of memory, without anything secret. `storage_path` is the name of its folder, and
    empty where memories are in the store.
    """

    enabled: bool
    injection_enabled: bool
    storage: str
    storage_path: str
    groups: str
    per_assistant: bool
    debounce_seconds: float
    max_wait: float
    instructions: bool
    staleness: str
    consolidation: bool
    past_conversations_days: int
    max_facts: int
    fact_confidence_threshold: float
    max_injection_tokens: int
    injection_format: str
    token_counting: str
    ranking: str
    similarity_weight: float
    confidence_weight: float
    categories: list[str]
    topics: list[str]


@dataclass(frozen=True, slots=True)
class MemoryStatusAnswer:
    """The configuration, the memory as it is stored, and, where memory is on, how learning goes."""

    config: MemoryConfigAnswer
    data: MemoryAnswer
    person: MemorySwitchAnswer | None = None
    health: MemoryHealth | None = None


@dataclass(frozen=True, slots=True)
class MemoryUndoAnswer:
    """What became of the wish to take the last change back, and the memory as it is then."""

    result: Literal["done", "nothing", "forgotten"]
    data: MemoryAnswer


@dataclass(frozen=True, slots=True)
class ImportAnswer:
    """What became of memories: `left_out` were switched off there or forgotten here; and the memory then."""

    added: int
    known: int
    left_out: int
    shortened: int
    secrets: int
    data: MemoryAnswer
