"""How a run is given memory: in a run context that the agent declares, or in a message of its own."""

from __future__ import annotations

import logging
from dataclasses import replace
from enum import StrEnum

from parley.agent.langgraph_client import AgentServerClient
from parley.agent.runs.context_fields import ContextFields
from parley.core.model.types import RunRequest

log = logging.getLogger(__name__)

CONTEXT_FIELD = "memory"
"""The name of the context's field."""


class MemoryInjection(StrEnum):
    """The way that is taken."""

    AUTO = "auto"
    """The context of agents whose schema has such a field; all others are told nothing."""
    MESSAGE = "message"
    """A human message of its own, before the person's."""
    SYSTEM = "system"
    """A system message of its own, before the person's."""
    CONTEXT = "context"
    OFF = "off"

    @property
    def role(self) -> str:
        """The type of the message that carries memory; "" where none does."""
        return {MemoryInjection.MESSAGE: "human", MemoryInjection.SYSTEM: "system"}.get(self, "")


class MemoryInjector:
    """Puts a request's memory into place."""

    def __init__(self, way: MemoryInjection) -> None:
        self._way = way
        self._told: set[str] = set()

    @property
    def role(self) -> str:
        """The type of the message that carries what `placed` leaves in `memory`."""
        return self._way.role

    async def placed(
        self, server: AgentServerClient, request: RunRequest, declared: ContextFields
    ) -> RunRequest:
        """The request with memory where its agent takes it; what `memory` still has goes into a message."""
        if not request.memory or self._way.role:
            return request
        if self._way is MemoryInjection.AUTO:
            fields = await declared.of(server, request.session.assistant)
            if CONTEXT_FIELD not in (fields or ()):
                self._say_once(request.session.assistant)
                return replace(request, memory="")
        if self._way is MemoryInjection.OFF:
            return replace(request, memory="")
        context = {**request.session.context, CONTEXT_FIELD: request.memory}
        return replace(request, memory="", session=replace(request.session, context=context))

    def _say_once(self, assistant: str) -> None:
        if assistant not in self._told:
            self._told.add(assistant)
            log.info(
                "the agent %s declares no %r in its context: it is told nothing of what is remembered "
                "(memory.injection)",
                assistant,
                CONTEXT_FIELD,
            )
