"""The agent: somebody's LangGraph server, or the embedded one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from parley.agent.agent import LangGraphAgent
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.app.composition.memory_tools.deferred import DeferredMemoryTools, tool_categories
from parley.app.extras import require_extra
from parley.app.process.import_blocker import UNNEEDED_PACKAGES, block_imports
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.model import Settings
from parley.app.storage.paths import FILES
from parley.core.ports.journal import DocumentRepository

if TYPE_CHECKING:  # LangGraph and its friends take a second and 60 MB: only who runs the agent here pays
    from parley.app.composition.embedded.server import EmbeddedServer

_INSIDE = "http://embedded"
_STEPS_A_CALL = 20


@dataclass(frozen=True, slots=True)
class OpenedAgent:
    """The agent, and the server that lives inside; None where that is elsewhere."""

    agent: LangGraphAgent
    tools: DeferredMemoryTools
    embedded: EmbeddedServer | None

    def routes(self) -> Sequence[BaseRoute]:
        """Return what is served for it in front of the console's checks."""
        return [*self.tools.routes(), *(self.embedded.routes() if self.embedded is not None else ())]

    def files(self) -> tuple[Path, ...]:
        """Return the files of users' code that runs in this process."""
        return self.embedded.files() if self.embedded is not None else ()

    def keep_commands(self, documents: DocumentRepository, clock: Callable[[], float]) -> None:
        """Keep commands that run here in the audit record."""
        if self.embedded is not None:
            self.embedded.keep_commands(documents, clock)

    async def reload_graphs(self, loaded: LoadedSettings) -> None:
        """Load the graphs of these settings anew. Raises ConfigError; the old ones stay then."""
        if self.embedded is not None:
            self.tools.categories = tool_categories(loaded)
            await self.embedded.reload_graphs(loaded)

    def configure(self, loaded: LoadedSettings) -> None:
        """Have runs made by these settings from now on."""
        section = loaded.settings.agent
        self.agent.configure(
            models=loaded.settings.listed_models,
            recursion_limit=_most_steps(loaded.settings),
            images=section.images,
            injection=MemoryInjection(loaded.settings.memory.injection),
            thoughts=section.thoughts,
        )


@asynccontextmanager
async def open_agent(loaded: LoadedSettings) -> AsyncIterator[LangGraphAgent]:
    """Open the agent of `agent.url`; the embedded server lives inside, without a socket.

    Raises ConfigError.
    """
    async with open_reloadable_agent(loaded) as opened:
        yield opened.agent


@asynccontextmanager
async def open_reloadable_agent(loaded: LoadedSettings) -> AsyncIterator[OpenedAgent]:
    """Open the agent and what can be changed of it while it runs. Raises ConfigError."""
    settings, tools = loaded.settings.agent, DeferredMemoryTools(tool_categories(loaded))
    async with AsyncExitStack() as stack:
        embedded = None
        if settings.embedded:
            with require_extra("embedded", "agent.url"):
                with block_imports(UNNEEDED_PACKAGES):
                    from parley.app.composition.embedded.server import open_embedded

                embedded = await stack.enter_async_context(open_embedded(loaded, tools))
        agent = LangGraphAgent(
            AgentEndpoint(
                _INSIDE if settings.embedded else settings.url,
                settings.api_key,
                settings.headers,
                one_place=settings.embedded,
            ),
            files=loaded.data_dir / FILES,
            models=loaded.settings.listed_models,
            gateway_url=settings.gateway_url,
            recursion_limit=_most_steps(loaded.settings),
            images=settings.images,
            injection=MemoryInjection(loaded.settings.memory.injection),
            thoughts=settings.thoughts,
            transport=embedded.transport if embedded is not None else None,
        )
        yield OpenedAgent(await stack.enter_async_context(agent), tools, embedded)


def _most_steps(settings: Settings) -> int:
    """Return the limit of LangGraph's steps. The built-in agent's is in calls of its model.

    Each part of it that is on makes some steps a call: so many calls would fail for want of steps.
    """
    agent, calls = settings.agent, settings.built_in.guardrails.model_calls_per_run
    return max(agent.recursion_limit, _STEPS_A_CALL * calls) if agent.built_in else agent.recursion_limit
