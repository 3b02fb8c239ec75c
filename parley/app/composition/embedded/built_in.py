"""The settings of the built-in agent become its options."""

from __future__ import annotations

import os
from importlib.util import find_spec

from parley.agent.files.reader import FileReader
from parley.agent.files.web_pages import WebPages
from parley.app.composition.embedded.commands import command_options, conversation_files
from parley.app.extras import install_command
from parley.app.settings.load import LoadedSettings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.settings.schema.built_in import SubagentsSection
from parley.core.model.errors import ConfigError
from parley.server.accounts.sign_ins import SignIns
from parley.server.graphs.projects import place_in
from parley.server.options import (
    DefaultAgentOptions,
    McpOptions,
    SkillOptions,
    SubagentOptions,
    TaskOptions,
    ToolRules,
    WebOptions,
)
from parley.server.sandbox.record import RecordCommand


def default_agent_options(
    loaded: LoadedSettings, sign_ins: SignIns | None, record: RecordCommand
) -> DefaultAgentOptions:
    """Return the options. Raises ConfigError where packages for them are not installed."""
    section = loaded.settings.built_in
    file = loaded.folder / section.prompt_file if section.prompt_file else None
    guardrails, approval = section.guardrails, section.approval
    rules = ToolRules(
        guardrails.allow,
        guardrails.deny,
        approval.always,
        approval.never,
        place_in(loaded.folder, guardrails.policy),
        guardrails.calls_per_run,
        guardrails.model_calls_per_run,
        guardrails.same_calls_per_run,
    )
    tools = tuple(place_in(loaded.folder, place) for place in section.tools)
    return DefaultAgentOptions(
        file,
        section.context_window,
        section.summarize_at,
        section.fallbacks,
        tools=tools,
        rules=rules,
        mcp=_mcp(loaded, sign_ins),
        todos=section.todos,
        clarification=section.clarification,
        titles=section.titles,
        suggestions=section.suggestions,
        workspaces=conversation_files(loaded),
        commands=command_options(loaded, record),
        skills=_skills(loaded),
        tasks=_tasks(section.subagents),
        web=WebOptions(WebPages(FileReader()).read if section.web.fetch else None, section.web.search_url),
    )


def _mcp(loaded: LoadedSettings, sign_ins: SignIns | None) -> McpOptions | None:
    """Return where MCP servers are named. Raises ConfigError where their packages are not installed."""
    section = loaded.settings.built_in.mcp
    if not section.file:
        return None
    if find_spec("langchain_mcp_adapters") is None:
        raise ConfigError(f"built_in.mcp: MCP is not installed; run: {install_command('mcp')}")
    environ = with_dotenv(os.environ, loaded.folder / ".env")
    return McpOptions(loaded.folder / section.file, section.chats, section.timeout, environ, sign_ins)


def _tasks(section: SubagentsSection) -> TaskOptions | None:
    if not section.enabled:
        return None
    agents = tuple(
        SubagentOptions(name, " ".join(each.description.split()), each.prompt, each.tools, each.model)
        for name, each in section.agents.items()
    )
    return TaskOptions(agents, section.most_at_once, section.timeout)


def _skills(loaded: LoadedSettings) -> SkillOptions | None:
    section = loaded.settings.built_in.skills
    return SkillOptions(loaded.folder / section.folder, section.enabled) if section.enabled else None
