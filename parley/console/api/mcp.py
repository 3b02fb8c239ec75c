"""The MCP server of memory tools, for agents on other servers: `/mcp`, opened by the token of a run."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.core.ports.memory.tools import MemoryTools, ToolRefused, tool_specs
from parley.version import VERSION

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

MCP_PATH = "/mcp"
_MOST_BYTES = 64 * 1024
_BEARER = "bearer "


class McpEndpoint:
    """An ASGI application that speaks MCP over HTTP, one request at a time, without sessions.

    `run` has to go on beside it. The SDK is imported with the first request: most never have one.
    """

    def __init__(self, tools: MemoryTools) -> None:
        self._tools = tools
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()
        self._serve: ASGIApp | None = None

    async def run(self) -> None:
        """Serve until cancelled."""
        await self._wanted.wait()
        manager = await asyncio.to_thread(_session_manager, self._tools)
        async with manager.run():
            self._serve = manager.asgi_app
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = await self._refusal(Headers(scope=scope))
        if refused is not None:
            await refused(scope, receive, send)
            return
        self._wanted.set()
        await self._ready.wait()
        assert self._serve is not None  # noqa: S101 - it is ready
        await self._serve(scope, receive, send)

    async def _refusal(self, headers: Headers) -> Response | None:
        if find_spec("mcp") is None:
            return _refused(501, "no_mcp", "The server lacks the package parley-bridge[mcp].")
        if await self._tools.admits(token_of(headers.get("authorization", ""))):
            return None
        answer = _refused(401, "no_run", "Say Authorization: Bearer TOKEN, with the token of this run.")
        answer.headers["www-authenticate"] = "Bearer"
        return answer


def _refused(status: int, code: str, text: str) -> Response:
    return JSONResponse({"error": {"code": code, "text": text}}, status)


def token_of(header: str) -> str:
    """Return the token that an authorization header brings, or ""."""
    return header[len(_BEARER) :].strip() if header[: len(_BEARER)].lower() == _BEARER else ""


def _session_manager(tools: MemoryTools) -> StreamableHTTPSessionManager:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    server: Server[Any, Request] = Server("parley", version=VERSION)

    async def list_tools() -> list[types.Tool]:
        return [
            types.Tool(name=spec.name, description=spec.description, inputSchema=dict(spec.schema))
            for spec in tool_specs(tools.categories)
        ]

    async def call_tool(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        request = server.request_context.request
        token = token_of(request.headers.get("authorization", "")) if request is not None else ""
        try:
            found = await tools.call(token, name, arguments)
            text, failed = json.dumps(found, ensure_ascii=False), False
        except ToolRefused as error:
            text, failed = error.user_text, True
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], isError=failed)

    server.list_tools()(list_tools)  # type: ignore[no-untyped-call]
    server.call_tool(validate_input=False)(call_tool)  # the tools check their arguments themselves
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=_MOST_BYTES
    )
