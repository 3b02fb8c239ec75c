"""The section of the built-in agent becomes its options, and a line says what is on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from parley.app.checks.scratch import scratch_settings
from parley.app.cli.startup_summary import summarise_startup
from parley.app.composition.embedded.options import embedded_options
from parley.app.settings.load import LoadedSettings, read_settings
from parley.core.model.errors import ConfigError
from parley.server.options import (
    McpOptions,
    SkillOptions,
    SubagentOptions,
    TaskOptions,
    ToolRules,
    WebOptions,
)
from parley.server.storage.interface import PostgresPlace
from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.workspaces import DAY, Workspaces

MODEL = "agent: {model: 'openai:a', model_api_key: k}\n"
ALL = """
built_in:
  models: {"openai:a": {thinking: {reasoning_effort: high}}}
  tools: [my_tools.py:one, package.module:two]
  approval: {always: [a], never: [b]}
  guardrails:
    {allow: [c], deny: [d], policy: my_tools.py:policy, calls_per_run: 7, model_calls_per_run: 8,
    same_calls_per_run: 9}
  mcp: {file: mcp.json, chats: {"slack:C1": [files]}, timeout: 5}
  web: {fetch: true, search_url: "http://localhost:8888"}
  workspace: {enabled: true, size: 1 MB, files: 7, keep_days: 2}
  skills: {enabled: [report], folder: mine}
  subagents:
    enabled: true
    most_at_once: 2
    timeout: 9
    agents: {reader: {description: Reads., prompt: Read., tools: [web_*], model: "openai:a"}}
  todos: true
  clarification: true
"""


def loaded(text: str, folder: Path) -> LoadedSettings:
    return read_settings(text, "config.yaml", {}, folder)


POSTGRES = "postgresql://parley@db/parley"


def test_the_agent_servers_state_is_in_a_file_unless_a_database_is_named(tmp_path: Path) -> None:
    def place(text: str) -> PostgresPlace | None:
        return embedded_options(loaded(text, tmp_path)).postgres

    assert place(f"store: {{url: {POSTGRES}}}") is None
    own = "agent_server: {database: store}\n"
    assert place(f"{own}store: {{url: {POSTGRES}, lease: 20}}") == PostgresPlace(POSTGRES, lease=20)
    direct = "postgresql://parley@direct/parley"
    assert place(f"{own}store: {{url: {POSTGRES}, listen_url: {direct}}}") == PostgresPlace(direct)
    assert place(f"agent_server: {{database: {direct}}}") == PostgresPlace(direct)
    with pytest.raises(ConfigError, match=r"agent_server\.database: store is for store\.url"):
        place(own)


def test_a_database_of_another_kind_is_refused_without_repeating_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"agent_server\.database: must be") as refused:
        loaded("agent_server: {database: 'mysql://me:secret@db'}", tmp_path)
    assert "secret" not in str(refused.value.user_text)


def test_who_only_tries_the_agent_takes_no_part_in_the_work_of_others(tmp_path: Path) -> None:
    text = f"agent_server: {{database: store}}\nstore: {{url: {POSTGRES}}}"
    with scratch_settings(loaded(text, tmp_path)) as elsewhere:
        assert embedded_options(elsewhere).postgres is None


def test_every_ability_arrives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "FROM_ENVIRONMENT", "x")
    (tmp_path / ".env").write_text("FROM_FILE=y\n")
    found = embedded_options(loaded(MODEL + ALL, tmp_path)).default_agent
    assert found.tools == (f"{tmp_path}/my_tools.py:one", "package.module:two")
    assert found.rules == ToolRules(("c",), ("d",), ("a",), ("b",), f"{tmp_path}/my_tools.py:policy", 7, 8, 9)
    assert found.mcp is not None
    assert (found.mcp.file, found.mcp.chats, found.mcp.timeout) == (
        tmp_path / "mcp.json",
        {"slack:C1": ("files",)},
        5,
    )
    assert {"FROM_ENVIRONMENT": "x", "FROM_FILE": "y"}.items() <= found.mcp.environ.items()
    assert found.web.read_page is not None
    assert found.web.search_url == "http://localhost:8888"
    assert (found.todos, found.clarification, found.runs_code) == (True, True, True)
    assert found.workspaces is not None
    limits, keep = WorkspaceLimits(1_000_000, 7, 1_000_000), 2 * DAY
    assert (found.workspaces.limits, found.workspaces.keep) == (limits, keep)
    assert found.workspaces.root.name == "workspaces"
    reader = SubagentOptions("reader", "Reads.", "Read.", ("web_*",), "openai:a")
    assert found.tasks == TaskOptions((reader,), 2, 9)
    assert found.skills == SkillOptions(tmp_path / "mine", ("report",))
    assert found.commands is None


def test_nothing_is_on_by_itself(tmp_path: Path) -> None:
    found = embedded_options(loaded(MODEL, tmp_path)).default_agent
    assert found.tools == ()
    assert not isinstance(found.mcp, McpOptions)
    assert found.web == WebOptions()
    assert not isinstance(found.workspaces, Workspaces)
    assert not isinstance(found.skills, SkillOptions)
    assert not isinstance(found.tasks, TaskOptions)
    assert (found.todos, found.clarification, found.runs_code) == (False, False, False)


def test_the_agents_line_says_what_is_on(tmp_path: Path) -> None:
    first = next(iter(summarise_startup(loaded(MODEL + ALL, tmp_path))))
    assert first.endswith(
        "model openai:a; with thinking (openai:a), tools (my_tools.py:one, package.module:two), "
        "MCP servers (mcp.json), skills (report), subagents (general-purpose, reader), web search, "
        "web pages, files, todos, clarification"
    )
    assert next(iter(summarise_startup(loaded(MODEL, tmp_path)))).endswith("model openai:a")
    assert "with" not in next(iter(summarise_startup(loaded(ALL, tmp_path))))
