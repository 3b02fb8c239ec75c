"""Options of memory; names and defaults are those of config.yaml, durations are seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from parley.core.model.types import Json
from parley.memory.model.vocabulary import USUAL_VOCABULARY, MemoryVocabulary

# What operators may see: no keys, no addresses, no paths.
_PUBLIC = (
    "enabled", "injection_enabled", "storage", "storage_path", "groups", "per_assistant", "debounce_seconds",
    "max_wait", "instructions", "staleness", "consolidation", "past_conversations_days",
    "max_facts", "fact_confidence_threshold", "max_injection_tokens", "injection_format", "token_counting",
    "ranking", "similarity_weight", "confidence_weight",
)  # fmt: skip


class Ranking(StrEnum):
    """The order of facts."""

    RELEVANCE = "relevance"
    """By relevance to the conversation; the rest of the budget by confidence and freshness."""
    WEIGHTED = "weighted"
    """`similarity_weight * similarity + confidence_weight * confidence`."""
    CONFIDENCE = "confidence"
    """By confidence alone; both others fall back to it where there is no message."""


class Groups(StrEnum):
    """What is recalled of a person in groups."""

    SEPARATE = "separate"
    """Only what was said in groups."""
    OFF = "off"
    """Nothing is recalled or learned there."""
    SHARED = "shared"
    """The same as in private."""


class InjectionFormat(StrEnum):
    """What stands before a fact in the block."""

    DATED = "dated"
    """The date on which it was said."""
    CLASSIC = "classic"
    """Its category and its confidence, as in the reference system."""


class Staleness(StrEnum):
    """What becomes of facts that may no longer hold."""

    LOWER = "lower"
    """They count as less sure."""
    ASK = "ask"
    """The person is asked, once a week at most, in private; unanswered they count as less sure."""
    OFF = "off"


class TokenCounting(StrEnum):
    """How tokens are counted."""

    TIKTOKEN = "tiktoken"
    CHAR = "char"


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """`max_facts` caps one person's facts; `max_injection_tokens` the block that a run is given.

    A turn is learned from `debounce_seconds` after the last one, `max_wait` after the first at the latest,
    with `max_concurrency` people at once. A failure is tried again after `retry_pause`, then four times
    that, and so on, `tries` times in all. More than `queue_limit` waiting turns of one person lose the
    oldest. Recall takes `recall_timeout` at most, else a run goes on without it. One extraction reads
    `chunk_tokens` of turns at most. `storage` and `storage_path`, the name of a folder, are only shown to
    operators. Turns that are over can be searched for `past_conversations_days`; 0: none are kept.
    `first_use_notice` tells each person once that they are remembered. With `instructions` what they want
    of every answer in style, language and format is a kind of its own, told first. Once a day facts that
    say the same become one with `consolidation`, those that nearly do by a model, in `consolidation_calls`
    and `consolidation_tokens` a day for all people together. `vocabulary` has the categories and topics.
    """

    enabled: bool = True
    injection_enabled: bool = True
    storage: str = "files"
    storage_path: str = ""
    groups: Groups = Groups.SEPARATE
    per_assistant: bool = False
    first_use_notice: bool = True
    instructions: bool = True
    staleness: Staleness = Staleness.LOWER
    consolidation: bool = True
    consolidation_calls: int = 20
    consolidation_tokens: int = 40_000
    past_conversations_days: int = 30
    debounce_seconds: float = 30.0
    max_wait: float = 120.0
    max_facts: int = 1000
    fact_confidence_threshold: float = 0.7
    max_injection_tokens: int = 2000
    injection_format: InjectionFormat = InjectionFormat.DATED
    token_counting: TokenCounting = TokenCounting.TIKTOKEN
    ranking: Ranking = Ranking.RELEVANCE
    similarity_weight: float = 0.6
    confidence_weight: float = 0.4
    encoding: str = "cl100k_base"
    tries: int = 3
    model_timeout: float = 120.0
    chunk_tokens: int = 6000
    max_concurrency: int = 16
    retry_pause: float = 30.0
    queue_limit: int = 200
    recall_timeout: float = 1.0
    vocabulary: MemoryVocabulary = USUAL_VOCABULARY


def public_options(options: MemoryOptions) -> dict[str, Json]:
    """Return the options that operators may see, by name."""
    words = options.vocabulary
    named: dict[str, Json] = {"categories": list(words.categories), "topics": list(words.topics)}
    return {name: getattr(options, name) for name in _PUBLIC} | named
