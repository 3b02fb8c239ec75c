"""MCP servers for conversations with the built-in agent."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from parley.server.options import DefaultAgentOptions, McpOptions, ToolRules

NOTES = Path(__file__).with_name("notes_server.py")
ACCOUNTS = Path(__file__).with_name("account_server.py")
BY_STDIO = {"command": sys.executable, "args": [str(NOTES)], "env": {"OWNER": "${NAME_OF_OWNER}"}}
"""How the notes' server is written down; its variable is filled in."""


def write_servers(folder: Path, **servers: object) -> Path:
    """Write the file that names these servers."""
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": servers}))
    return file


def options(folder: Path, rules: ToolRules | None = None, **servers: object) -> DefaultAgentOptions:
    """The agent with these servers."""
    mcp = McpOptions(write_servers(folder, **servers), environ={"NAME_OF_OWNER": "Ann"})
    return DefaultAgentOptions(mcp=mcp, rules=rules or ToolRules())


@contextmanager
def by_network(folder: Path, transport: str, path: str) -> Iterator[str]:
    """The address of a notes' server of its own process."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(NOTES), transport, str(port)], cwd=folder, stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}{path}"
    finally:
        process.kill()
        process.wait()


@contextmanager
def with_accounts(folder: Path) -> Iterator[str]:
    """The address of a server where people have accounts, in a process of its own."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(ACCOUNTS), str(port)], cwd=folder, stderr=subprocess.DEVNULL
    )
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()
