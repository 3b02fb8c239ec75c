"""What an MCP server says of its tools, as tools of LangChain. All of it is words of others."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.interceptors import MCPToolCallRequest, MCPToolCallResult
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from mcp import ClientSession
from mcp.types import Tool

log = logging.getLogger(__name__)

_MOST_TOOLS = 100
_MOST_PAGES = 20
_MOST_DESCRIPTION = 2_000
_MOST_SCHEMA = 20_000

Call = Callable[[MCPToolCallRequest], Awaitable[MCPToolCallResult]]


@dataclass(frozen=True, slots=True)
class ListedTools:
    """A server's tools, as it told of them and as an agent calls them."""

    told: tuple[Tool, ...] = ()
    tools: tuple[BaseTool, ...] = ()

    @property
    def repeatable(self) -> frozenset[str]:
        """The names of those that change nothing, or nothing more when they are called again."""
        hints = {tool.name: tool.annotations for tool in self.told if tool.annotations}
        return frozenset(
            name for name, hint in hints.items() if hint.readOnlyHint is True or hint.idempotentHint is True
        )


async def list_tools(session: ClientSession, server: str, before: ListedTools, call: Call) -> ListedTools:
    """Return the tools of a server; the very same as before where it tells of no others."""
    told = await _told(session, server)
    if told == before.told:
        return before
    return ListedTools(told, tuple(_as_tool(tool, server, call) for tool in told))


async def _told(session: ClientSession, server: str) -> tuple[Tool, ...]:
    found: list[Tool] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await session.list_tools(cursor)
        found += page.tools
        cursor = page.nextCursor
        if not cursor or len(found) > _MOST_TOOLS:
            break
    taken = [tool for tool in found[:_MOST_TOOLS] if len(json.dumps(tool.inputSchema)) <= _MOST_SCHEMA]
    if cursor or len(taken) < len(found):
        log.warning("tools of the MCP server %s are left out: too many, or too large", server)
    return tuple(taken)


def _as_tool(tool: Tool, server: str, call: Call) -> BaseTool:
    cut = tool.model_copy(update={"description": (tool.description or "")[:_MOST_DESCRIPTION]})

    async def call_instead(request: MCPToolCallRequest, handler: Call) -> MCPToolCallResult:
        return await call(request)  # The connection is ours: nothing goes on to the library's own.

    return convert_mcp_tool_to_langchain_tool(
        None,
        cut,
        connection={"transport": "stdio", "command": "", "args": []},
        tool_interceptors=[call_instead],
        server_name=server,
        tool_name_prefix=True,
    )
