"""An assistant on the agent server in the place of a model: a run gets the lesson, and answers with JSON."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

from parley.core.model.address import User
from parley.core.model.errors import AgentError, MemoryFailed
from parley.core.model.types import (
    Outcome,
    RunEnded,
    RunEvent,
    RunMode,
    RunRef,
    RunRequest,
    RunStarted,
    SessionSettings,
)
from parley.memory.learning.extraction.llm import ModelAnswer

log = logging.getLogger(__name__)

_OUTCOMES = {
    Outcome.ASKED: "asked a question instead",
    Outcome.EMPTY: "said nothing",
    Outcome.CANCELLED: "was cancelled",
    Outcome.FAILED: "failed",
}


class LessonAgent(Protocol):
    """What runs assistants, and forgets their threads; a part of the port `Agent`."""

    def run(self, request: RunRequest) -> AsyncIterator[RunEvent]: ...

    async def cancel(self, run: RunRef, turn: str = "") -> None: ...

    async def forget(self, thread: str) -> bool: ...


@dataclass(slots=True)
class _LessonRun:
    request: RunRequest
    begun: RunRef | None = None
    ended: RunEnded | None = None


@dataclass(frozen=True, slots=True)
class AssistantModel:
    """Implements `ExtractionModel` with an assistant; `timeout` is for one lesson, in seconds.

    Each lesson has a thread of its own, which is deleted when the run is over.
    """

    agent: LessonAgent
    session: SessionSettings
    timeout: float = field(default=120.0)

    @property
    def name(self) -> str:
        return f"assistant {self.session.assistant}"

    async def open(self) -> None:
        """Do nothing: whether the server has the assistant is seen when it is asked."""

    async def ask(self, rules: str, about: str) -> ModelAnswer:
        """Run the assistant once, with rules and lesson as one message. Raises MemoryFailed."""
        lesson = _LessonRun(
            RunRequest(
                turn_id=str(uuid4()),
                message_id=str(uuid4()),
                thread=str(uuid4()),
                text=f"{rules}\n\n{about}",
                person=User("memory", "lesson"),
                session=self.session,
                mode=RunMode.WAIT,
            )
        )
        try:
            async with asyncio.timeout(self.timeout):
                await self._follow(lesson)
        except TimeoutError as error:
            raise MemoryFailed(f"The {self.name} did not answer in time.") from error
        except AgentError as error:
            raise MemoryFailed(f"The {self.name} cannot be asked: {error}") from error
        finally:
            await self._forget(lesson)
        ended = lesson.ended
        if ended is None or ended.outcome is not Outcome.ANSWERED:
            what = _OUTCOMES[ended.outcome] if ended else "made no end"
            log.info("the %s %s: %s", self.name, what, ended.error if ended else "")
            raise MemoryFailed(f"The {self.name} {what}.")
        return ModelAnswer(ended.text)

    async def _follow(self, lesson: _LessonRun) -> None:
        async for event in self.agent.run(lesson.request):
            if isinstance(event, RunStarted):
                lesson.begun = event.run
            elif isinstance(event, RunEnded):
                lesson.ended = event

    async def _forget(self, lesson: _LessonRun) -> None:
        """Stop a run that is not over, and delete its thread."""
        with suppress(AgentError):
            if lesson.begun and not lesson.ended:
                await self.agent.cancel(lesson.begun)
            await self.agent.forget(lesson.request.thread)
