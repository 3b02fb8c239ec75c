"""One pool of HTTP connections, open only while somebody is inside."""

from __future__ import annotations

from types import SimpleNamespace, TracebackType
from urllib.request import getproxies

import aiohttp
from yarl import URL

from parley.channels.kit.http.fenced_connector import FencedConnector
from parley.channels.kit.http.wire_listener import wire_listener
from parley.channels.kit.http.wire_tap import make_socket_class, make_trace
from parley.core.network import proxy_for
from parley.core.ports.lease import require_lease


class HttpPool:
    """`async with sessions as session:` any number of times at once; the last to leave closes it.

    Who stays inside (a listening channel) keeps the pool warm for everybody, and nothing needs closing
    at the end. Proxies are taken from the environment, also for web sockets. A request for what this node
    holds no more raises LaneLost before it begins; one that is under way when the node's lease ends is
    broken off.
    """

    def __init__(self, connections: int = 256) -> None:
        self._connections = connections
        self._inside = 0
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = FencedConnector(limit=self._connections)
            listener = wire_listener()
            self._session = aiohttp.ClientSession(
                connector=connector,
                # Not trust_env: that finds no proxy for web sockets, and takes logins from ~/.netrc.
                middlewares=[_proxied] if getproxies() else (),
                trace_configs=[_fenced()] if listener is None else [_fenced(), make_trace(listener)],
                ws_response_class=(
                    aiohttp.ClientWebSocketResponse if listener is None else make_socket_class(listener)
                ),
            )
        self._inside += 1
        return self._session

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inside -= 1
        if self._inside == 0 and self._session is not None:
            session, self._session = self._session, None
            await session.close()


async def _proxied(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Send a request through the proxy that the environment names for it."""
    if request.proxy is None and (address := proxy_for(str(request.url))):
        request.update_proxy(URL(address), None, None)
    return await send(request)


def _fenced() -> aiohttp.TraceConfig:
    """Look at the node's lease before each request."""

    async def before(
        session: aiohttp.ClientSession, context: SimpleNamespace, request: aiohttp.TraceRequestStartParams
    ) -> None:
        require_lease()

    trace = aiohttp.TraceConfig()
    trace.on_request_start.append(before)
    return trace
