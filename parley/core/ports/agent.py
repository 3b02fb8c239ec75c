"""The port of an agent server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from parley.core.model.types import RunEvent, RunRef, RunRequest
from parley.core.ports.health import HealthReport


@dataclass(frozen=True, slots=True)
class AssistantInfo:
    """An assistant of the server. `target` is what runs name it by: its id, or its graph."""

    target: str
    name: str
    graph: str = ""
    id: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All that it goes by, its name first."""
        return tuple(dict.fromkeys(each for each in (self.name, self.id, self.graph, self.target) if each))


class Agent(Protocol):
    """Runs turns on an agent server."""

    def run(self, request: RunRequest) -> AsyncIterator[RunEvent]:
        """Make the turn's run, or find and join it; the last event is always a RunEnded.

        Dropped connections are joined again inside. Raises AgentError when there is nothing to join:
        the same request may be made again.
        """
        ...

    async def cancel(self, run: RunRef, turn: str = "") -> None:
        """Stop a run, keeping what the thread has; a run already over is no error. Raises AgentError.

        One whose id is not known ("") is found by its turn, if it was made at all.
        """
        ...

    async def models(self) -> tuple[str, ...]:
        """Return names of the models a person may choose, or nothing. Raises AgentError."""
        ...

    async def assistants(self) -> tuple[AssistantInfo, ...]:
        """Return the assistants that the server has. Raises AgentError."""
        ...

    async def health(self) -> HealthReport:
        """Ask the server how it is; never raises."""
        ...
