"""All MCP servers of the default agent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from parley.core.model.errors import ConfigError
from parley.core.texts import AgentSentence, language_of, say
from parley.server.default_agent.mcp.accounts import AccountConnections
from parley.server.default_agent.mcp.connection import McpConnection, ServerAway
from parley.server.default_agent.mcp.server_file import McpServer, read_servers
from parley.server.default_agent.run_context import identity_of
from parley.server.options import McpOptions

log = logging.getLogger(__name__)

_START = 10.0
"""Seconds that a run waits for servers; what takes longer is there for the next one."""


class McpServers:
    """The servers that the file names. It is read again when it changes."""

    def __init__(self, options: McpOptions) -> None:
        """Read the file. Raises ConfigError."""
        self._options = options
        self._seen = _stamp(options.file)
        self._by_name = {
            server.name: self._made(server) for server in read_servers(options.file, options.environ)
        }
        self._opening: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def tools(self, who: Mapping[str, Any]) -> tuple[BaseTool, ...]:
        """Return the tools of all servers, once those that are not connected had time to be, for a person."""
        self._reread()
        self._opening = {key: task for key, task in self._opening.items() if not task.done()}
        mine: set[asyncio.Task[None]] = set()
        for name, connection in self._by_name.items():
            key = (name, str(who.get("person", "")) if connection.server.oauth else "")
            if key not in self._opening:
                self._opening[key] = asyncio.create_task(_reach(connection, who))
            mine.add(self._opening[key])
        if mine:
            await asyncio.wait(mine, timeout=_START)
        return tuple(tool for connection in self._by_name.values() for tool in connection.tools_of(who))

    def known(self) -> tuple[BaseTool, ...]:
        """Return a tool for each name that was last heard of, whoever has it: not for a model to read."""
        return tuple(tool for connection in self._by_name.values() for tool in connection.tools)

    def offered(self, tool: str, who: Mapping[str, Any]) -> bool:
        """Return whether a chat has a tool: those that are no server's are in all chats."""
        server = next((name for name in self._by_name if self._is_of(tool, name)), None)
        return server is None or (self._allowed(server, who) and self._by_name[server].offers(tool, who))

    def away(self, who: Mapping[str, Any]) -> list[str]:
        """Return the servers of a chat that have no tools now."""
        return [
            name
            for name, connection in self._by_name.items()
            if self._allowed(name, who) and connection.is_away(who)
        ]

    async def aclose(self) -> None:
        """End all sessions."""
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*(each.close() for each in self._by_name.values()), *self._leaving)

    def _made(self, server: McpServer) -> McpConnection | AccountConnections:
        if server.oauth is None:
            return McpConnection(server, self._options.timeout)
        if self._options.sign_ins is None:
            raise ConfigError(
                f"built_in.mcp.file: mcpServers.{server.name}: oauth needs a Parley with a page; "
                "give parley agent a token in headers"
            )
        return AccountConnections(server, self._options.timeout, self._options.sign_ins)

    def _is_of(self, tool: str, server: str) -> bool:
        return any(tool == each.name for each in self._by_name[server].tools)

    def _allowed(self, server: str, who: Mapping[str, Any]) -> bool:
        rows = self._options.chats
        if not rows:
            return True
        chat = f"{who.get('channel', '')}:{who.get('chat', '')}"
        return any(
            fnmatchcase(chat, pattern) and any(fnmatchcase(server, each) for each in servers)
            for pattern, servers in rows.items()
        )

    def _reread(self) -> None:
        stamp = _stamp(self._options.file)
        if stamp == self._seen:
            return
        self._seen = stamp
        try:
            servers = read_servers(self._options.file, self._options.environ)
        except ConfigError as error:
            log.warning("%s; the earlier servers stay", error)
            return
        old, self._by_name = self._by_name, {}
        for server in servers:
            known = old.get(server.name)
            same = known is not None and known.server == server
            self._by_name[server.name] = old.pop(server.name) if same else self._made(server)
        for connection in old.values():
            self._opening = {
                key: each for key, each in self._opening.items() if key[0] != connection.server.name
            }
            task = asyncio.create_task(connection.close())
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)


class AwayServers(AgentMiddleware):
    """Says which servers cannot be reached: a step for people, a line for the model."""

    def __init__(self, servers: McpServers) -> None:
        super().__init__()
        self._servers = servers

    async def abefore_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Show a step for each."""
        who = identity_of(runtime.context)
        for name in self._servers.away(who):
            title = say(
                language_of(str(who.get("language", ""))), AgentSentence.STEP_SERVER_AWAY, server=name
            )
            runtime.stream_writer({"step": {"id": f"mcp:{name}", "title": title, "status": "failed"}})
        return None

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Add the line to this call."""
        away = ", ".join(self._servers.away(identity_of(request.runtime.context)))
        if not away:
            return await handler(request)
        before = request.system_message.text if request.system_message else ""
        told = f"{before}\n\nTools of these servers cannot be reached now: {away}. Say so if they are needed."
        return await handler(request.override(system_message=SystemMessage(told)))


async def _reach(connection: McpConnection | AccountConnections, who: Mapping[str, Any]) -> None:
    try:
        await connection.reach(who)
    except ServerAway:
        log.debug("the MCP server %s is away", connection.server.name)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
