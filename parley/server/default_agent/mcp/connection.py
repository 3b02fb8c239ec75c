"""The connection to one MCP server, which is made when it is needed, and again when it broke."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from datetime import timedelta
from typing import Any, TypeVar

import anyio
import httpx
from langchain_core.tools import BaseTool
from langchain_mcp_adapters.interceptors import MCPToolCallRequest, MCPToolCallResult
from langchain_mcp_adapters.sessions import (
    Connection,
    SSEConnection,
    StreamableHttpConnection,
    create_session,
)
from mcp import ClientSession, McpError
from mcp.types import CONNECTION_CLOSED, CallToolResult

from parley.server.default_agent.mcp.listed_tools import Call, ListedTools, list_tools
from parley.server.default_agent.mcp.named_addresses import NamedAddresses
from parley.server.default_agent.mcp.server_file import McpServer
from parley.server.default_agent.mcp.server_process import bound_command

log = logging.getLogger(__name__)

_T = TypeVar("_T")
_CONNECT = 120.0
"""Seconds; a command may have to download its package first."""
_ALIVE = 5.0
_PAUSE = 30.0
"""Seconds without another try after one that failed."""
_IDLE = 600.0
_LOOK = 30.0
_MOST_REASON = 200


class ServerAway(Exception):
    """A server cannot be reached, or went away in the middle of a call."""


class McpConnection:
    """Keeps a session with a server for as long as it is used.

    `tools` are those that it had when it was reached last, `away` is why it cannot be reached now.
    """

    def __init__(
        self,
        server: McpServer,
        timeout: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        auth: httpx.Auth | None = None,
        dispatch: Call | None = None,
        known: ListedTools | None = None,
    ) -> None:
        """Be the connection with `auth`; `dispatch` calls tools instead.

        Where the server tells of the very tools that are `known`, those are taken.
        """
        self.server = server
        self.listed = ListedTools()
        self._known = self.listed if known is None else known
        self._auth = auth
        self._dispatch: Call = dispatch or self.call
        self.away = ""
        self._timeout = timeout
        self._clock = clock
        self._lock = asyncio.Lock()
        self._session: ClientSession | None = None
        self._holder: asyncio.Task[None] | None = None
        self._retry_at = 0.0
        self._calls = 0
        self._used = 0.0

    @property
    def tools(self) -> tuple[BaseTool, ...]:
        """The tools that it had when it was reached last."""
        return self.listed.tools

    def tools_of(self, who: Mapping[str, Any]) -> tuple[BaseTool, ...]:
        """Return the tools of a person: all have the same."""
        return self.tools

    async def reach(self, who: Mapping[str, Any]) -> None:
        """Connect; it is the same for all. Raises ServerAway."""
        await self.connect()

    def offers(self, tool: str, who: Mapping[str, Any]) -> bool:
        """Return whether a person has a tool of this server: all have all."""
        return True

    def is_away(self, who: Mapping[str, Any]) -> bool:
        """Return whether it has no tools now."""
        return bool(self.away) or not self.listed.told

    async def connect(self) -> ClientSession:
        """Return a session, made anew where there is none. Raises ServerAway."""
        async with self._lock:
            self._used = self._clock()
            if self._session is not None:
                return self._session
            if self.away and self._clock() < self._retry_at:
                raise self._unreachable()
            return await self._open()

    async def close(self) -> None:
        """End the session; the next use makes another."""
        holder, self._holder, self._session = self._holder, None, None
        if holder is not None:
            holder.cancel()
            await asyncio.wait({holder})

    async def call(self, request: MCPToolCallRequest) -> MCPToolCallResult:
        """Call a tool, once. Raises ServerAway, or McpError where the server refuses the call."""
        name = self.server.name
        session = await self._living()
        self._calls += 1
        try:
            calling = session.call_tool(
                request.name, request.args, read_timeout_seconds=timedelta(seconds=self._timeout)
            )
            found: CallToolResult = await self._answered(calling, self._timeout)
            return found
        except ServerAway as error:
            raise ServerAway(f"The MCP server {name} {error}. {self._outcome(request.name)}") from error
        finally:
            self._calls -= 1
            self._used = self._clock()

    def _unreachable(self) -> ServerAway:
        return ServerAway(f"The MCP server {self.server.name} cannot be reached; nothing was done.")

    def _outcome(self, tool: str) -> str:
        if tool in self.listed.repeatable:
            return "It changes nothing: it may be called again."
        return (
            "Nobody knows whether it did its work. Say so, and do not call it again unless the person asks "
            "for it."
        )

    async def _living(self) -> ClientSession:
        """Return a session whose server answers now, so that the call itself is made once only."""
        session = await self.connect()
        try:
            await self._answered(session.send_ping(), _ALIVE)
        except ServerAway:
            log.info("the MCP server %s does not answer; connecting again", self.server.name)
            await self.close()
            return await self.connect()
        except McpError:
            pass  # It answers, if only that it does not know this.
        return session

    async def _answered(self, asking: Coroutine[Any, Any, _T], patience: float) -> _T:
        """Return an answer. Raises ServerAway when the session ends, or nothing comes for so long."""
        holder = self._holder
        asked = asyncio.ensure_future(asking)
        try:
            waiting: set[asyncio.Future[Any]] = {asked} if holder is None else {asked, holder}
            await asyncio.wait(waiting, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                ended = holder is None or holder.done()
                raise ServerAway("went away" if ended else f"gave no answer for {patience:.0f} seconds")
            return asked.result()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ServerAway("went away") from error
        except McpError as error:
            if error.error.code in (CONNECTION_CLOSED, 408):
                raise ServerAway("went away") from error
            raise
        finally:
            asked.cancel()

    async def _open(self) -> ClientSession:
        ready: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        holder = self._holder = asyncio.create_task(self._hold(ready))
        holder.add_done_callback(self._ended)
        both: set[asyncio.Future[Any]] = {ready, holder}
        await asyncio.wait(both, timeout=_CONNECT, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            self.away = _reason(holder, f"no answer for {_CONNECT:.0f} seconds")
            self._retry_at = self._clock() + _PAUSE
            log.warning("the MCP server %s cannot be reached: %s", self.server.name, self.away)
            await self.close()
            raise self._unreachable()
        self.away, self._session = "", ready.result()
        return self._session

    async def _hold(self, ready: asyncio.Future[ClientSession]) -> None:
        """Be the task that the session lives in, until it is not used any more."""
        async with create_session(connection_to(self.server, self._auth)) as session:
            await session.initialize()
            before = self.listed if self.listed.told else self._known
            self.listed = await list_tools(session, self.server.name, before, self._dispatch)
            if not ready.done():
                ready.set_result(session)
            while self._calls or self._clock() - self._used < _IDLE:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK)

    def _ended(self, holder: asyncio.Task[None]) -> None:
        if holder is self._holder:
            self._holder = self._session = None
        if not holder.cancelled() and (error := holder.exception()) is not None:
            log.info("the session with the MCP server %s ended: %s", self.server.name, leaf_of(error))


def connection_to(server: McpServer, auth: httpx.Auth | None = None) -> Connection:
    """Return how the library reaches a server."""
    if server.transport == "stdio":
        command, *args = bound_command(server)
        return {
            "transport": "stdio",
            "command": command,
            "args": args,
            "env": dict(server.env),
            "cwd": server.folder,
        }
    headers: Mapping[str, Any] = server.headers
    factory = NamedAddresses(server.url).client_factory()
    if server.transport == "sse":
        sse: SSEConnection = {"transport": "sse", "url": server.url, "headers": dict(headers)}
        return sse if auth is None else {**sse, "auth": auth, "httpx_client_factory": factory}
    http: StreamableHttpConnection = {
        "transport": "streamable_http",
        "url": server.url,
        "headers": dict(headers),
    }
    return http if auth is None else {**http, "auth": auth, "httpx_client_factory": factory}


def _reason(holder: asyncio.Task[None], otherwise: str) -> str:
    if not holder.done() or holder.cancelled():
        return otherwise
    error = holder.exception()
    return otherwise if error is None else leaf_of(error)


def leaf_of(error: BaseException) -> str:
    """Return what the first error in a group says, on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MOST_REASON]
