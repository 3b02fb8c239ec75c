"""The HTTP server of one Parley process, inside the running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
import time
from collections.abc import Callable, Iterator, Sequence

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp

from parley.console.api.health import RefreshReports, Reports, health_routes, keep_reports, trust_reports
from parley.console.auth.access_control import with_access_control
from parley.console.http.error_responses import (
    ReadinessRecheck,
    os_error_response,
    store_unavailable_response,
)
from parley.console.http.middleware import HeaderLimit, SecurityHeaders, StreamShutdown
from parley.console.http.options import ConsoleOptions
from parley.console.http.protocol import timed_http
from parley.core.model.errors import ConfigError, StoreUnavailable

_GRACE = 5


class HttpServer:
    """Serves the channels' routes beside the health routes, behind the access checks.

    `webhooks` are routes in front of those checks: each makes sure by itself who calls.
    """

    def __init__(
        self,
        options: ConsoleOptions,
        routes: Sequence[BaseRoute],
        health: Reports,
        clock: Callable[[], float] = time.monotonic,
        *,
        webhooks: Sequence[BaseRoute] = (),
        look: RefreshReports = keep_reports,
        doubt: Callable[[], None] = trust_reports,
    ) -> None:
        """`look` brings the reports up to date for `/readyz`; `doubt` says that they may be wrong.

        Raises ConfigError for options that would let anybody in.
        """
        self._options = options
        self._stopping = asyncio.Event()
        self._health = health_routes(health, options.needed, look)
        self._inner = Starlette(
            exception_handlers={StoreUnavailable: store_unavailable_response, OSError: os_error_response}
        )
        guarded = with_access_control(self._inner, options, clock)
        self._doors = Router(redirect_slashes=False, default=guarded)
        self.mount(routes, webhooks)
        ending = StreamShutdown(self._doors, self._stopping)
        self.app: ASGIApp = SecurityHeaders(HeaderLimit(ReadinessRecheck(ending, doubt)))

    @property
    def routes(self) -> Sequence[BaseRoute]:
        """Those behind the access checks."""
        return self._inner.routes

    def mount(self, routes: Sequence[BaseRoute], webhooks: Sequence[BaseRoute]) -> None:
        """Serve these routes, and no others but those of health; requests under way go on."""
        self._inner.router.routes = [*self._health, *routes, Route("/", _nothing_here)]
        self._doors.routes = list(webhooks)

    async def run(self, started: Callable[[str], None]) -> None:
        """Serve until cancelled, then end event streams at once and give other requests five seconds.

        `started` is called with the URL once connections are taken. Raises ConfigError when the address
        cannot be had.
        """
        listener = await _bind(self._options)
        url = _url(self._options.host, listener.getsockname()[1])
        config = uvicorn.Config(
            self.app,
            http=timed_http(self._options.timeouts),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE,
        )
        server = _Server(config, lambda: started(url))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            await asyncio.shield(serving)
        finally:
            self._stopping.set()
            server.should_exit = True
            await serving
            listener.close()


class _Server(uvicorn.Server):
    """Uvicorn that leaves the process's signals to whoever runs the loop."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _bind(options: ConsoleOptions) -> socket.socket:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(options.host, options.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, OverflowError) as problem:
        raise _bad_host(options) from problem
    family, _, _, _, address = found[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
        listener.setblocking(False)
    except OSError as problem:
        listener.close()
        raise _bind_problem(options, problem) from problem
    return listener


def _bind_problem(options: ConsoleOptions, problem: OSError) -> ConfigError:
    if problem.errno == errno.EADDRINUSE:
        return ConfigError(
            f"console.port: {options.port} is in use by another program; stop that one, "
            f"or write another port here (say, {options.port + 1})"
        )
    if problem.errno == errno.EACCES:
        return ConfigError(
            f"console.port: {options.port} needs more rights than this program has; write a port above 1023"
        )
    return _bad_host(options)


def _bad_host(options: ConsoleOptions) -> ConfigError:
    return ConfigError(
        f"console.host: {options.host} is not an address of this machine; "
        "write 127.0.0.1 (this machine only) or 0.0.0.0 (everybody, with a token)"
    )


def _url(host: str, port: int) -> str:
    """Return a URL that this machine's browser can open, also when the server listens everywhere."""
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host)
        if address.is_unspecified:
            host = "127.0.0.1" if address.version == 4 else "::1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _nothing_here(request: Request) -> Response:
    return PlainTextResponse("Parley is running. Its web chat is off: see channels.web.enabled.\n")
