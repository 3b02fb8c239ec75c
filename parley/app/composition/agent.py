"""The agent: somebody's LangGraph server, or the embedded one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import httpx
import uvloop
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from parley.agent.agent import LangGraphAgent
from parley.agent.files.web_post import WebPoster
from parley.agent.runs.memory_injection import MemoryInjection
from parley.agent.transport.http_client import AgentEndpoint
from parley.app.composition.agent_database import shared_database
from parley.app.composition.built_in.commands import CommandAudit
from parley.app.composition.built_in.mcp_accounts import open_sign_ins, sign_in_routes
from parley.app.composition.built_in.options import default_agent_options
from parley.app.composition.memory_tools.deferred import DeferredMemoryTools, mcp_address, tool_categories
from parley.app.composition.memory_tools.remote import RemoteMemoryTools
from parley.app.composition.store_index import store_index
from parley.app.extras import require_extra
from parley.app.settings.addresses import sign_in_address
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.built_in import ModelSection, thinking_choice
from parley.app.settings.schema.model import Settings
from parley.app.storage.paths import AGENT_DATABASE, FILES
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, MemoryTools
from parley.server.accounts.sign_ins import SignIns
from parley.server.graphs.projects import Project, place_in
from parley.server.options import (
    EmbeddedOptions,
    ModelOptions,
)
from parley.server.sandbox.record import RecordCommand, record_nothing

_INSIDE = "http://embedded"
_STEPS_A_CALL = 20


class EmbeddedGraphs(Protocol):
    """The graphs of the embedded server, which can be loaded anew."""

    async def reload_graphs(self, options: EmbeddedOptions) -> None:
        """Load the graphs of these options. Raises ConfigError; the old ones stay then."""
        ...

    def graph_files(self) -> tuple[Path, ...]:
        """Return the files of users' code that they are made of."""
        ...


@dataclass(frozen=True, slots=True)
class OpenedAgent:
    """The agent, and the graphs of the server that lives inside; None where that is elsewhere."""

    agent: LangGraphAgent
    graphs: EmbeddedGraphs | None
    tools: DeferredMemoryTools
    sign_ins: SignIns
    commands: CommandAudit

    def routes(self) -> Sequence[BaseRoute]:
        """Return what is served for it in front of the console's checks."""
        return [*self.tools.routes(), *sign_in_routes(self.sign_ins)]

    def files(self) -> tuple[Path, ...]:
        """Return the files of users' code that runs in this process."""
        return self.graphs.graph_files() if self.graphs is not None else ()

    async def reload_graphs(self, loaded: LoadedSettings) -> None:
        """Load the graphs of these settings anew. Raises ConfigError; the old ones stay then."""
        if self.graphs is not None:
            self.sign_ins.address = sign_in_address(loaded)
            self.tools.categories = tool_categories(loaded)
            await self.graphs.reload_graphs(
                embedded_options(loaded, self.tools, self.sign_ins, self.commands)
            )

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
    sign_ins, commands = open_sign_ins(loaded), CommandAudit()
    async with AsyncExitStack() as stack:
        transport, graphs = None, None
        if settings.embedded:
            # LangGraph and its friends take a second and 60 MB: only who runs the agent here pays.
            with require_extra("embedded", "agent.url"):
                transport, graphs = await stack.enter_async_context(
                    _embedded(embedded_options(loaded, tools, sign_ins, commands))
                )
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
            transport=transport,
        )
        yield OpenedAgent(await stack.enter_async_context(agent), graphs, tools, sign_ins, commands)


@asynccontextmanager
async def _embedded(
    options: EmbeddedOptions,
) -> AsyncIterator[tuple[httpx.AsyncBaseTransport, EmbeddedGraphs]]:
    """Run the embedded server; graphs and tools of users on a loop of their own, for they may block it."""
    from parley.server.app import embedded_server
    from parley.server.asgi_transport import StreamingASGITransport
    from parley.server.loop_thread import threaded_server

    if options.graphs or (options.models and options.default_agent.runs_code):
        async with threaded_server(options, uvloop.new_event_loop) as transport:
            yield transport, transport
    else:
        async with embedded_server(options) as server:
            yield StreamingASGITransport(server), _GraphsHere(server)


@dataclass(frozen=True, slots=True)
class _GraphsHere:
    """The graphs of a server on this very loop."""

    server: Starlette

    async def reload_graphs(self, options: EmbeddedOptions) -> None:
        from parley.server.app import reload_graphs

        reload_graphs(self.server, options)

    def graph_files(self) -> tuple[Path, ...]:
        return ()


def embedded_options(
    loaded: LoadedSettings,
    tools: MemoryTools = NO_MEMORY_TOOLS,
    sign_ins: SignIns | None = None,
    record: RecordCommand = record_nothing,
) -> EmbeddedOptions:
    """Return the embedded server's options; a graph's file is relative to the configuration."""
    settings, theirs = loaded.settings.agent, loaded.project
    graphs = {name: place_in(loaded.folder, place) for name, place in settings.graphs.items()}
    return EmbeddedOptions(
        loaded.data_dir / AGENT_DATABASE,
        graphs=graphs,
        models=_models(loaded.settings),
        default_agent=default_agent_options(loaded, sign_ins, record),
        api_key=settings.api_key,
        project=Project(loaded.folder, theirs.folders if theirs else (), theirs.environ if theirs else {}),
        memory_tools=tools,
        cors_origins=loaded.settings.agent_server.cors_origins,
        webhooks=WebPoster(loaded.settings.agent_server.webhook_hosts),
        store_index=partial(store_index, loaded),
        postgres=shared_database(loaded.settings),
    )


def _most_steps(settings: Settings) -> int:
    """Return the limit of LangGraph's steps. The built-in agent's is in calls of its model.

    Each part of it that is on makes some steps a call: so many calls would fail for want of steps.
    """
    agent, calls = settings.agent, settings.built_in.guardrails.model_calls_per_run
    return max(agent.recursion_limit, _STEPS_A_CALL * calls) if agent.built_in else agent.recursion_limit


def served_options(loaded: LoadedSettings) -> EmbeddedOptions:
    """Return the options of a server that others reach: their handler says who comes in."""
    auth = loaded.settings.agent_server.auth
    tools: MemoryTools = NO_MEMORY_TOOLS
    if loaded.settings.memory.tools:
        tools = RemoteMemoryTools(mcp_address(loaded), categories=tool_categories(loaded))
    return replace(embedded_options(loaded, tools), auth=place_in(loaded.folder, auth) if auth else "")


def _models(settings: Settings) -> tuple[ModelOptions, ...]:
    """Return the choices, or none of them where there is no first: the demonstration answers then."""
    return tuple(_choices(settings)) if settings.agent.model else ()


def _choices(settings: Settings) -> Iterator[ModelOptions]:
    for name in settings.agent.choices:
        model = _model(settings, name)
        yield model
        if settings.thinks(name):
            more = {**model.more, **settings.built_in.models[name].thinking}
            yield replace(model, name=thinking_choice(name), more=more)


def _model(settings: Settings, name: str) -> ModelOptions:
    """Return a choice. Key and address of `agent.model` are for models of its provider only."""
    agent, own = settings.agent, settings.built_in.models.get(name, ModelSection())
    model = own.model or name
    kin = _provider(model) == _provider(agent.model)
    return ModelOptions(
        name,
        model,
        own.base_url or (agent.base_url if kin else ""),
        own.api_key or (agent.model_api_key if kin else ""),
        report_tokens=agent.report_tokens,
        more=own.options,
        vision=own.vision,
    )


def _provider(model: str) -> str:
    return model.partition(":")[0]
