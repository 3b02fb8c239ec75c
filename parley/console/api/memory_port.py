"""What the memory API needs of a memory: the values it shows, and the port behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from parley.console.api.bodies import FactPatchBody, NewFactBody


@dataclass(frozen=True, slots=True)
class MemoryConfig:
    """What of the configuration may be seen: no keys, no addresses, no paths. Durations are seconds."""

    enabled: bool
    injection_enabled: bool
    storage: str
    groups: str
    per_assistant: bool
    debounce_seconds: float
    max_wait: float
    max_facts: int
    fact_confidence_threshold: float
    max_injection_tokens: int
    token_counting: str
    ranking: str
    similarity_weight: float
    confidence_weight: float


@dataclass(frozen=True, slots=True)
class MemoryHealth:
    """How many people are remembered, turns that wait, turns set aside; what learns, and what failed last."""

    people: int
    waiting: int
    dead: int
    extractor: str
    last_error: str


@dataclass(frozen=True, slots=True)
class PersonStatus:
    """Whether a person wants memory, and how many of their turns wait to be learned from."""

    on: bool
    waiting: int


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A turn that could not be learned from, by number; `at` is in Unix seconds."""

    item: int
    person: str
    turn: str
    at: float
    reason: str


@dataclass(frozen=True, slots=True)
class CreatedFact:
    """The fact that says something, and whether it said so before already; "" where there is none."""

    id: str
    known: bool = False


class MemoryAdminPort(Protocol):
    """All memories, for whoever runs this Parley, as JSON of schema 1.0. Methods raise MemoryFailed."""

    @property
    def config(self) -> MemoryConfig:
        """What of the configuration may be seen."""
        ...

    async def own(self) -> str:
        """The person who writes on the chat page."""
        ...

    async def health(self) -> MemoryHealth:
        """How memory is."""
        ...

    async def people(self) -> Sequence[str]:
        """The persons of whom anything is remembered, in order."""
        ...

    async def state(self, person: str) -> PersonStatus:
        """Whether they want it, and what waits."""
        ...

    async def switch(self, person: str, on: bool) -> None:
        """Learn and recall, or neither."""
        ...

    async def data(self, person: str) -> str:
        """The whole memory; an empty one for a stranger."""
        ...

    async def reload(self, person: str) -> str:
        """The same, read anew."""
        ...

    async def create(self, person: str, fact: NewFactBody) -> CreatedFact:
        """Remember something by hand; nothing changes when it is known."""
        ...

    async def patch(self, person: str, fact_id: str, change: FactPatchBody) -> CreatedFact:
        """Correct a fact; nothing changes when another one says so already."""
        ...

    async def delete(self, person: str, fact_id: str) -> bool:
        """Forget a fact; False when there is none of this id."""
        ...

    async def replace(self, person: str, text: str) -> str:
        """Put another memory in the place of this one; returns what is wrong with the text, or ""."""
        ...

    async def clear(self, person: str) -> int:
        """Forget everything; returns how many facts there were."""
        ...

    async def set_aside(self) -> Sequence[FailedTurn]:
        """Turns that could not be learned from, newest first."""
        ...

    async def retry(self, item: int) -> bool:
        """Learn from one of them after all; False when there is none of this number."""
        ...
