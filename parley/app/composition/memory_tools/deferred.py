"""Tools on memory: made once memory is there, for agents that were opened before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from starlette.routing import BaseRoute

from parley.app.settings.addresses import own_address
from parley.app.settings.load import LoadedSettings
from parley.channels.kit.webhook import Webhook
from parley.console.api.mcp import MCP_PATH, McpEndpoint
from parley.core.inbound.live_turns import LiveTurns
from parley.core.model.types import Json, JsonObject
from parley.core.ports.journal import Journal
from parley.core.ports.memory.port import INSTRUCTION
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, Consent, MemoryTools, RunScope, ToolChange
from parley.core.state.conversations import ConversationRepository
from parley.memory.service import MemoryService
from parley.memory.tools.changes import ToolChanges
from parley.memory.tools.run_tokens import RunTokens
from parley.memory.tools.service import ScopedMemoryTools


class DeferredMemoryTools:
    """The port `MemoryTools`, before and after there is a memory."""

    takes_consent = True

    def __init__(self, categories: Sequence[str] = ()) -> None:
        self.categories = categories
        self._tools: MemoryTools = NO_MEMORY_TOOLS
        self.endpoint = McpEndpoint(self)

    async def bind(
        self,
        loaded: LoadedSettings,
        memory: MemoryService,
        journal: Journal,
        conversations: ConversationRepository,
        clock: Callable[[], float],
    ) -> None:
        """Let the tools work on this memory. Raises StoreUnavailable.

        The built-in agent calls them in this process. Other agents are given none where they have no
        address to call.
        """
        settings, address = loaded.settings, mcp_address(loaded)
        self._tools = ScopedMemoryTools(
            memory,
            LiveTurns(journal, conversations),
            await RunTokens.open(journal, clock),
            ToolChanges(journal),
            address,
            clock,
            on=settings.memory.tools and (bool(address) or settings.agent.built_in),
        )

    def routes(self) -> Sequence[BaseRoute]:
        """Return the MCP server's route, in front of the console's checks: it checks the run's token."""
        return [Webhook(MCP_PATH, self.endpoint)]

    def grant(self, scope: RunScope) -> JsonObject:
        return self._tools.grant(scope)

    async def admits(self, token: str) -> bool:
        return await self._tools.admits(token)

    async def call(
        self, token: str, tool: str, arguments: object, *, consent: Consent = Consent.BELOW_ANSWER
    ) -> Mapping[str, Json]:
        return await self._tools.call(token, tool, arguments, consent=consent)

    async def take_changes(self, person: str, turn: str) -> Sequence[ToolChange]:
        return await self._tools.take_changes(person, turn)


def tool_categories(loaded: LoadedSettings) -> Sequence[str]:
    """Return the categories that agents may give a fact: what a person wants of every answer they say."""
    return [name for name in loaded.settings.memory.vocabulary.categories if name != INSTRUCTION]


def mcp_address(loaded: LoadedSettings) -> str:
    """Return where agents find the MCP server: `memory.tools_url`, or the console's own address.

    "" where that is nowhere: a port that is chosen at the start, or none that is listened to.
    """
    here = own_address(loaded) + MCP_PATH if loaded.settings.console.port else ""
    return loaded.settings.memory.tools_url or here
