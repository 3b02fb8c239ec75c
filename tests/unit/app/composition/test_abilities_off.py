"""An ability of the built-in agent that is off loads nothing; one that is on loads what it needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.machine import patience

_ROOT = Path(__file__).parents[4]
_MODEL = "agent: {model: 'openai:m', model_api_key: key}"
_OWN = "parley.server.default_agent."
_WORKSPACES = "parley.server.workspace.workspaces"
_AGENT = {"httpx2", "langchain.agents", "langchain_openai", f"{_OWN}graph"}
_BESIDE = {f"{_OWN}suggestions", f"{_OWN}titles"}
_MCP = {"langchain_mcp_adapters", "mcp", f"{_OWN}mcp"}
_START = """
import asyncio, sys
from pathlib import Path
from parley.app.composition.agent import open_agent
from parley.app.settings.load import read_settings

ABILITIES = "files mcp skills subagents suggestions titles tools.clarification tools.commands"
WATCHED = [
    *"anthropic deepagents langchain_anthropic langchain_mcp_adapters langchain_openai mcp wcmatch".split(),
    *"aiohttp cronsim httpx2".split(),
    "langchain.agents",
    "parley.server.demo.graph",
    "parley.server.default_agent.graph",
    *(f"parley.server.default_agent.{name}" for name in ABILITIES.split()),
    "parley.server.sandbox.sandbox",
    "parley.server.workspace.workspaces",
]

async def main():
    for settings in sys.argv[1:]:
        async with open_agent(read_settings("{%s}" % settings, "test", {}, Path("."))):
            print(*(name for name in WATCHED if name in sys.modules))

asyncio.run(main())
"""


# One after the other in one process: what each of them loads beside those before it.
_LOADED: tuple[tuple[str, set[str]], ...] = (
    ("", set()),
    (_MODEL, _AGENT),
    (f"{_MODEL}, built_in: {{todos: true, clarification: true}}", {f"{_OWN}tools.clarification"}),
    (f"{_MODEL}, built_in: {{titles: 'openai:m', suggestions: 'openai:m'}}", _BESIDE),
    (f"{_MODEL}, built_in: {{mcp: {{file: mcp.json}}}}", _MCP),
    (f"{_MODEL}, built_in: {{workspace: {{enabled: true}}}}", {"deepagents", f"{_OWN}files", _WORKSPACES}),
    (f"{_MODEL}, built_in: {{subagents: {{enabled: true}}}}", {f"{_OWN}subagents"}),
    ("agent: {url: 'http://127.0.0.1:1'}", {"aiohttp"}),
)


_CHECK = """
import sys
from pathlib import Path
from parley.app.cli.service import run
from parley.app.checks.findings import check_settings
from parley.app.composition.build import build_parley
from parley.app.settings.load import read_settings

check_settings(read_settings(sys.argv[1], "test", {}, Path(".")))
at_first_use = ("mnemonic", "parley.server.", "stdnum")
print(*sorted(name for name in sys.modules if name.startswith(at_first_use)))
"""


@pytest.mark.parametrize("settings", ["{}", "agent: {url: 'http://127.0.0.1:1'}"])
def test_what_nothing_needs_yet_is_not_loaded(settings: str) -> None:
    command = [sys.executable, "-c", _CHECK, settings]
    ended = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, timeout=patience(50), check=True
    )
    assert ended.stdout.split() == []


def test_only_what_is_on_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text('{"mcpServers": {}}')
    ended = subprocess.run(
        [sys.executable, "-c", _START, *(settings for settings, _ in _LOADED)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=patience(50),
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    before: set[str] = set()
    for line, (settings, loaded) in zip(ended.stdout.splitlines(), _LOADED, strict=True):
        found = set(line.split())
        # A library may bring others with it.
        assert loaded <= found - before if "workspace" in settings else found - before == loaded, settings
        before = found
