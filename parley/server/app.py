"""The embedded server, as an ASGI application."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from langgraph_sdk import Auth
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from parley.server.api_key import ApiKeyMiddleware
from parley.server.assistants.service import AssistantService
from parley.server.authentication import AuthMiddleware, check_auth
from parley.server.authorization import AccessRules
from parley.server.crons.service import CronService
from parley.server.demo.factory import DemoGraphFactory
from parley.server.graphs.projects import import_attribute
from parley.server.graphs.registry import GraphRegistry
from parley.server.http_errors import Problem, answer_problem
from parley.server.options import DEFAULT_GRAPH, EmbeddedOptions
from parley.server.routes import assistants, crons, files, meta, runs, store, threads
from parley.server.routes.mcp import AssistantTools
from parley.server.routes.request_context import AppState
from parley.server.runs.manager import RunManager
from parley.server.storage.engine import open_storage, storage_errors
from parley.server.threads.service import ThreadService

_AUTH = "agent_server.auth"
_READ_BY_PAGES = ("content-location", "location", "x-pagination-next", "x-pagination-total")


def create_app(options: EmbeddedOptions, clock: Callable[[], float] = time.time) -> Starlette:
    """The server; its lifespan opens the database and takes up what an earlier process left unfinished.

    The lifespan raises ConfigError when the database or a graph cannot be used.
    """

    auth = _auth(options)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with _services(options, clock, AccessRules(auth)) as app.state.services:
            yield

    mcp = [Route(path, _AssistantToolsRoute()) for path in ("/mcp", "/mcp/")]
    return Starlette(
        routes=[
            *meta.ROUTES,
            *assistants.ROUTES,
            *threads.ROUTES,
            *runs.ROUTES,
            *crons.ROUTES,
            *store.ROUTES,
            *files.ROUTES,
            *mcp,
        ],
        middleware=_middleware(options, auth),
        exception_handlers={
            Problem: answer_problem,
            **dict.fromkeys(storage_errors(options.postgres), _answer_no_database),
        },
        lifespan=lifespan,
    )


class _AssistantToolsRoute:
    """An ASGI application, as sessions of MCP answer by themselves."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        services: AppState = scope["app"].state.services
        await services.tools(scope, receive, send)


def _middleware(options: EmbeddedOptions, auth: Auth | None) -> list[Middleware]:
    """The outermost first: a browser's question before its request carries no key."""
    if not options.cors_origins:
        return _admission(options, auth)
    from starlette.middleware.cors import CORSMiddleware

    pages = Middleware(
        CORSMiddleware,
        allow_origins=options.cors_origins,
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["*"],
        expose_headers=_READ_BY_PAGES,
        allow_private_network=True,
    )
    return [pages, *_admission(options, auth)]


def _auth(options: EmbeddedOptions) -> Auth | None:
    if not options.auth:
        return None
    return check_auth(_AUTH, import_attribute(_AUTH, options.auth, options.project))


def _admission(options: EmbeddedOptions, auth: Auth | None) -> list[Middleware]:
    """Who comes in: whom a handler lets in where there is one, else whoever has the key."""
    if auth is not None:
        return [Middleware(AuthMiddleware, auth=auth)]
    return [Middleware(ApiKeyMiddleware, key=options.api_key)] if options.api_key else []


@asynccontextmanager
async def embedded_server(options: EmbeddedOptions) -> AsyncIterator[Starlette]:
    """The running server within this process, for `StreamingASGITransport`. Raises ConfigError.

    The loop's default executor becomes one of `limits.threads` threads, made as they are needed: the
    graph library runs blocking nodes there, and so does the SDK its JSON.
    """
    executor = ThreadPoolExecutor(options.limits.threads, thread_name_prefix="agent")
    asyncio.get_running_loop().set_default_executor(executor)
    app = create_app(options)
    async with app.router.lifespan_context(app):
        yield app


def reload_graphs(app: Starlette, options: EmbeddedOptions) -> None:
    """Load the graphs and models of these options; to be called on the server's loop. Raises ConfigError."""
    services: AppState = app.state.services
    services.graphs.reload(lambda: _sources(options, services.closing), options.project)


def graph_files(app: Starlette) -> tuple[Path, ...]:
    """Return the files of users' code that the server's graphs are made of."""
    services: AppState = app.state.services
    return services.graphs.files()


def _sources(options: EmbeddedOptions, closing: AsyncExitStack) -> Mapping[str, object]:
    if options.graphs:
        return options.graphs
    return {DEFAULT_GRAPH: _default_graph(options, closing)}


def _default_graph(options: EmbeddedOptions, closing: AsyncExitStack) -> object:
    if not options.models:
        return DemoGraphFactory(options.word_delay)
    # Only what answers is loaded.
    from parley.server.default_agent.graph import AgentWithServers, agent_graph

    made = agent_graph(
        options.models, options.default_agent, tools=options.memory_tools, project=options.project
    )
    if isinstance(made, AgentWithServers):
        # One that is replaced later is left in peace: its sessions end by themselves when nobody uses them.
        closing.push_async_callback(made.aclose)
    return made


@asynccontextmanager
async def _services(
    options: EmbeddedOptions, clock: Callable[[], float], rules: AccessRules
) -> AsyncIterator[AppState]:
    async with AsyncExitStack() as stack:
        storage = await stack.enter_async_context(
            open_storage(options.database, options.postgres, options.store_index)
        )
        if storage.cluster is not None:
            clock = storage.cluster.clock
        graphs = GraphRegistry(
            _sources(options, stack), storage.checkpoints.saver, storage.items, options.project
        )
        known = AssistantService(storage, graphs, clock)
        await known.load()
        work = RunManager(storage, graphs, known, options.limits, clock, options.webhooks, rules)
        await stack.enter_async_context(work.working())
        timed = CronService(storage, work, clock)
        await stack.enter_async_context(timed.working())
        workspaces = options.default_agent.workspaces
        rows = ThreadService(storage, graphs, work.lanes, clock, workspaces)
        if workspaces is not None:
            # What is off loads nothing.
            from parley.server.workspace.expiry import expiring

            await stack.enter_async_context(
                expiring(workspaces, rows.tables.known_threads, clock, storage.database.errors)
            )
        tools = AssistantTools(known, work, rules, options.limits.body)
        await stack.enter_async_context(tools.working())
        yield AppState(options, graphs, known, storage.items, rows, work, timed, tools, rules, stack)


async def _answer_no_database(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": f"The database does not answer: {error}"}, 503)
