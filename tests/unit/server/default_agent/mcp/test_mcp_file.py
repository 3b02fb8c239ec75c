"""The file of MCP servers: its shape, its variables, and what is said of mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from parley.core.model.errors import ConfigError
from parley.server.default_agent.mcp.server_file import McpServer, read_servers


def written(folder: Path, content: object) -> Path:
    file = folder / "mcp.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_both_kinds_of_server_with_variables(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {
            "mcpServers": {
                "time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"A": "${A}", "B": "${B:-b}"}},
                "web": {"type": "http", "url": "https://x.example/mcp", "headers": {"X": "Bearer ${A}"}},
                "old": {"url": "https://x.example/sse", "transport": "sse", "alwaysAllow": ["*"]},
                "off": {"command": "${NOWHERE}", "disabled": True},
            }
        },
    )
    assert read_servers(file, {"A": "a"}) == (
        McpServer("time", "stdio", "uvx", ("mcp-server-time",), {"A": "a", "B": "b"}, folder=str(tmp_path)),
        McpServer("web", "streamable_http", url="https://x.example/mcp", headers={"X": "Bearer a"}),
        McpServer("old", "sse", url="https://x.example/sse"),
    )


def test_secrets_are_not_in_what_is_printed(tmp_path: Path) -> None:
    file = written(tmp_path, {"mcpServers": {"a": {"url": "http://h/mcp", "headers": {"X": "hidden"}}}})
    assert "hidden" not in repr(read_servers(file, {}))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "has no object mcpServers"),
        ({"mcpServers": {"a b": {"command": "x"}}}, "a name has up to 30 letters"),
        ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "mcpServers.a: args: Input should be"),
        ({"mcpServers": {"a": {"command": "x", "env": {"K": "${NOT_SET}"}}}}, "${NOT_SET} is not set"),
        ({"mcpServers": {"a": {}}}, "needs a url"),
        ({"mcpServers": {"a": {"url": "file:///etc/passwd"}}}, "needs a url that begins with http"),
        ({"mcpServers": {"a": {"type": "carrier-pigeon", "url": "http://h"}}}, "there is no transport"),
        ({"mcpServers": {"a": {"type": "stdio", "url": "http://h"}}}, "stdio needs a command"),
        ({"mcpServers": {"a": 3}}, "mcpServers.a"),
        (
            {"mcpServers": {"a": {"url": "http://h", "oauth": {"authorization_origins": ["h"]}}}},
            "oauth.authorization_origins: ",
        ),
    ],
)
def test_a_mistake_names_place_and_remedy(tmp_path: Path, content: object, words: str) -> None:
    with pytest.raises(ConfigError) as said:
        read_servers(written(tmp_path, content), {})
    assert str(said.value).startswith(f"built_in.mcp.file: {tmp_path}")
    assert words in str(said.value)
    assert "\n" not in str(said.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory; write it"):
        read_servers(tmp_path / "none.json", {})
