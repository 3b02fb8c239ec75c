"""The settings become the options of the embedded server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from parley.agent.files.web_post import WebPoster
from parley.app.composition.embedded.built_in import default_agent_options
from parley.app.composition.embedded.database import shared_database
from parley.app.composition.embedded.store_index import store_index
from parley.app.composition.memory_tools.deferred import mcp_address, tool_categories
from parley.app.composition.memory_tools.remote import RemoteMemoryTools
from parley.app.settings.load import LoadedSettings
from parley.app.settings.schema.built_in import ModelSection, thinking_choice
from parley.app.settings.schema.model import Settings
from parley.app.storage.paths import AGENT_DATABASE
from parley.core.ports.memory.tools import NO_MEMORY_TOOLS, MemoryTools
from parley.server.accounts.sign_ins import SignIns
from parley.server.graphs.projects import Project, place_in
from parley.server.options import EmbeddedOptions, ModelOptions
from parley.server.sandbox.record import RecordCommand, record_nothing


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
