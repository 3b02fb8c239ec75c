"""How a run is given memory: in the person's message, or in a run context that the agent declares."""

from __future__ import annotations

import logging
from dataclasses import replace
from enum import StrEnum

from parley.agent.langgraph_client import AgentServerClient
from parley.agent.transport.error_mapping import AgentMissing
from parley.core.model.errors import AgentError
from parley.core.model.types import RunRequest

log = logging.getLogger(__name__)

CONTEXT_FIELD = "memory"
"""The name of the context's field."""


class MemoryInjection(StrEnum):
    """The way that is taken."""

    AUTO = "auto"
    """The context of agents whose schema has such a field, the message for all others."""
    MESSAGE = "message"
    CONTEXT = "context"
    OFF = "off"


class MemoryInjector:
    """Puts a request's memory into place; what agents declare is asked once for each."""

    def __init__(self, way: MemoryInjection) -> None:
        self._way = way
        self._declared: dict[str, bool] = {}

    async def placed(self, server: AgentServerClient, request: RunRequest) -> RunRequest:
        """The request with memory where its agent takes it; what `memory` still has goes into the message."""
        if not request.memory or self._way is MemoryInjection.MESSAGE:
            return request
        if self._way is MemoryInjection.OFF:
            return replace(request, memory="")
        if self._way is MemoryInjection.AUTO and not await self._declares(server, request.session.assistant):
            return request
        context = {**request.session.context, CONTEXT_FIELD: request.memory}
        return replace(request, memory="", session=replace(request.session, context=context))

    async def _declares(self, server: AgentServerClient, assistant: str) -> bool:
        if assistant not in self._declared:
            try:
                self._declared[assistant] = CONTEXT_FIELD in await server.context_fields(assistant)
            except AgentMissing:
                self._declared[assistant] = False
            except AgentError as error:
                # A server that is away just now may well know it later.
                log.info("the context of %s is unknown, its message carries memory: %s", assistant, error)
                return False
        return self._declared[assistant]
