"""Assistants as tools of an MCP server: `/mcp`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Container, Iterable, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from parley.core.model.types import JsonObject
from parley.server.assistant_ids import assistant_id
from parley.server.assistants.service import AssistantQuery, AssistantService
from parley.server.authentication import user_of
from parley.server.authorization import AccessRules
from parley.server.http_errors import Problem
from parley.server.runs.manager import RunManager
from parley.server.runs.payload import RunPayload
from parley.server.runs.thread_queues import ActiveRun
from parley.server.serialisation import dumps
from parley.server.storage.assistant_rows import AssistantRow
from parley.version import VERSION

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.shared.context import RequestContext
    from mcp.types import CallToolResult

_MOST_TOOLS = 1_000
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64


class AssistantTools:
    """An ASGI application that speaks MCP over HTTP, one request at a time, without sessions.

    The SDK is imported with the first request: most never have one.
    """

    def __init__(
        self, assistants: AssistantService, runs: RunManager, rules: AccessRules, most_bytes: int
    ) -> None:
        self._assistants, self._runs, self._rules, self._most_bytes = assistants, runs, rules, most_bytes
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()
        self._serve: ASGIApp | None = None

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """The time in which it answers."""
        worker = asyncio.create_task(self._work())
        try:
            yield
        finally:
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if find_spec("mcp") is None:
            missing = JSONResponse({"detail": "The server lacks the package parley-bridge[mcp]."}, 501)
            await missing(scope, receive, send)
            return
        self._wanted.set()
        await self._ready.wait()
        assert self._serve is not None  # noqa: S101 - it is ready
        await self._serve(scope, receive, send)

    async def named(self, user: JsonObject) -> Mapping[str, AssistantRow]:
        """The assistants that somebody may see, by what their tools are called. Raises Problem.

        Of several with one name the graph's own has it, else the oldest; the others have theirs with a part
        of their id.
        """
        named: dict[str, AssistantRow] = {}
        asked: dict[str, Any] = {"graph_id": None, "metadata": {}, "limit": _MOST_TOOLS, "offset": 0}
        rule = await self._rules.ask(user, "assistants", "search", asked)
        rows = self._assistants.search(AssistantQuery(descending=False, rule=rule))[:_MOST_TOOLS]
        for row in sorted(rows, key=lambda row: row.assistant_id != assistant_id(row.graph_id)):
            named.setdefault(_free_name(row, named), row)
        return named

    async def inputs(self, rows: Iterable[AssistantRow]) -> list[dict[str, Any]]:
        """What tools take: the input of their graphs, anything where a graph cannot be made to be asked."""
        asked = (self._assistants.schemas(row.assistant_id) for row in rows)
        # Factories are users' code and may raise anything; the other tools are there all the same.
        found = await asyncio.gather(*asked, return_exceptions=True)
        described = [{} if isinstance(each, BaseException) else each["input_schema"] for each in found]
        return [{**(each if isinstance(each, dict) else {}), "type": "object"} for each in described]

    async def call(self, name: str, arguments: dict[str, Any], user: JsonObject) -> tuple[str, bool]:
        """Run an assistant in a thread of its own; returns what it says, and whether that is a failure."""
        try:
            row = (await self.named(user)).get(name)
            if row is None:
                return f"There is no tool {name[:100]!r}.", True
            asked = RunPayload(assistant_id=row.assistant_id, input=arguments)
            run = await self._runs.create(None, asked, user, waited=True)
        except Problem as problem:
            return problem.detail, True
        try:
            await run.done.wait()
        except asyncio.CancelledError:
            await self._runs.lanes.cancel(run, "interrupt")
            raise
        return _outcome(run)

    async def _work(self) -> None:
        await self._wanted.wait()
        manager = await asyncio.to_thread(_session_manager, self, self._most_bytes)
        async with manager.run():
            self._serve = manager.asgi_app
            self._ready.set()
            await asyncio.Event().wait()


def tool_name(name: str) -> str:
    """An assistant's name as tools are called."""
    return _NOT_IN_NAMES.sub("_", name[:_LONGEST_NAME]).strip("_") or "assistant"


def _free_name(row: AssistantRow, taken: Container[str]) -> str:
    name, number = tool_name(row.name), row.assistant_id.replace("-", "")
    for digits in (8, len(number)):
        if name not in taken:
            return name
        name = f"{tool_name(row.name)[: _LONGEST_NAME - digits - 1]}_{number[-digits:]}"
    return name


def _outcome(run: ActiveRun) -> tuple[str, bool]:
    if run.error:
        return f"The run failed: {run.error['error']}.", True
    if run.stand is None and run.told_result:
        return run.told_result.decode(), False
    if run.stand is None:
        return "The run was stopped.", True
    if run.stand.interrupts:
        asked = dumps(run.stand.interrupts).decode()
        return f"The agent asks a person, which nobody can answer over MCP: {asked}", True
    values = run.stand.values
    messages = values.get("messages") if isinstance(values, dict) else None
    text = getattr(messages[-1], "text", "") if messages else ""
    return str(text) or dumps(values).decode(), False


def _user(context: RequestContext[Any, Any, Request]) -> JsonObject:
    return user_of(context.request) if context.request is not None else {}


def _session_manager(tools: AssistantTools, most_bytes: int) -> StreamableHTTPSessionManager:
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    server: Server[Any, Request] = Server("parley-agent", version=VERSION)

    async def list_tools() -> list[types.Tool]:
        named = await tools.named(_user(server.request_context))
        return [
            types.Tool(
                name=name,
                title=row.name,
                description=row.description or f"Ask the agent {row.name}.",
                inputSchema=taken,
            )
            for (name, row), taken in zip(named.items(), await tools.inputs(named.values()), strict=True)
        ]

    async def call_tool(name: str, arguments: dict[str, Any]) -> CallToolResult:
        text, failed = await tools.call(name, arguments, _user(server.request_context))
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], isError=failed)

    server.list_tools()(list_tools)  # type: ignore[no-untyped-call]
    server.call_tool(validate_input=False)(call_tool)  # graphs check their input themselves
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=most_bytes
    )
