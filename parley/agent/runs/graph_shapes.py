"""What each assistant's graph takes and gives, asked once."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import replace

import httpx

from parley.agent.langgraph_client import AgentServerClient
from parley.agent.stream.graph_shape import GraphShape, read_shape
from parley.core.model.errors import AgentError
from parley.core.model.types import Json, SessionSettings

log = logging.getLogger(__name__)

_TRIES = 3
_MOST = 1_000


class GraphShapes:
    """Remembers the shapes by assistant."""

    def __init__(self) -> None:
        self._known: dict[str, GraphShape] = {}
        self._failures: Counter[str] = Counter()
        self._asking = asyncio.Lock()

    async def of(self, server: AgentServerClient, session: SessionSettings) -> GraphShape:
        """The shape of the session's assistant, with the output that is configured.

        Raises AgentError where the server is away.
        """
        assistant = session.assistant
        if (shape := self._known.get(assistant)) is None:
            async with self._asking:
                shape = self._known.get(assistant) or await self._ask(server, assistant)
        return replace(shape, answer=session.output) if session.output else shape

    async def _ask(self, server: AgentServerClient, assistant: str) -> GraphShape:
        schemas: Json = None
        drawing: Json = None
        try:
            schemas = await server.directory.schemas(assistant)
            drawing = await server.directory.drawing(assistant)
        except AgentError as error:
            self._failures[assistant] += 1
            away, first = _is_away(error), self._failures[assistant] == 1
            if first or not away:
                log.info("the shape of %s is not fully known: %s", assistant, error)
            # A server that is away is asked again: its run would fail, too. One that refuses cannot tell.
            if away and self._failures[assistant] < _TRIES:
                raise
            if away:
                return GraphShape()
        shape = read_shape(schemas, drawing)
        if len(self._known) < _MOST:
            self._known[assistant] = shape
        return shape


def _is_away(error: AgentError) -> bool:
    return not isinstance(error.__cause__, httpx.HTTPStatusError)
