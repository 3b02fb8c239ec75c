"""What an agent's graph declares for its run context, asked once for each."""

from __future__ import annotations

import logging
from collections import Counter

from parley.agent.langgraph_client import AgentServerClient
from parley.core.model.errors import AgentError, AgentRefused

log = logging.getLogger(__name__)

_TRIES = 3


class ContextFields:
    """Remembers the fields by assistant."""

    def __init__(self) -> None:
        self._known: dict[str, frozenset[str] | None] = {}
        self._failures: Counter[str] = Counter()

    async def of(self, server: AgentServerClient, assistant: str) -> frozenset[str] | None:
        """The fields; none where the graph takes any context, None where the server does not say."""
        if assistant not in self._known:
            try:
                self._known[assistant] = await server.directory.context_fields(assistant)
            except AgentError as error:
                log.info("the context of %s is unknown: %s", assistant, error)
                self._failures[assistant] += 1
                # A server that is away just now may well know it later; one that refuses will not.
                if not isinstance(error, AgentRefused) and self._failures[assistant] < _TRIES:
                    return None
                self._known[assistant] = None
        return self._known[assistant]
