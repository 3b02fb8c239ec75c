"""An event loop in a thread of its own, and an httpx transport into an application that lives there.

Graphs of users may block the loop that they run on. On one of their own they hold up each other, but not the
channels. Everything of the server (database, checkpoints, store, runs) lives on that loop; only requests and
answers cross over.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.applications import Starlette

from parley.server.app import embedded_server, graph_files, reload_graphs
from parley.server.asgi_transport import StreamingASGITransport
from parley.server.blocked_nodes import watch_for_blocks
from parley.server.options import EmbeddedOptions

_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_BUFFERED = 256 * 1024
_GATHERING = 0.01
_FAREWELL = 10.0
"""Seconds that a stopping process waits for a node that blocks; its run is taken up at the next start."""


@asynccontextmanager
async def threaded_server(
    options: EmbeddedOptions, make_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
) -> AsyncIterator[CrossLoopTransport]:
    """Run the embedded server on a loop of its own; yields the way to it. Raises ConfigError."""
    thread = LoopThread(make_loop)
    stop = asyncio.Event()
    home = asyncio.get_running_loop()
    ready: asyncio.Future[tuple[Starlette, StreamingASGITransport]] = home.create_future()

    async def serve() -> None:
        async with embedded_server(options) as app, StreamingASGITransport(app) as transport:
            home.call_soon_threadsafe(ready.set_result, (app, transport))
            await stop.wait()

    serving = thread.submit(serve())
    watch = asyncio.create_task(watch_for_blocks(thread.loop, thread.ident))
    try:
        either: set[asyncio.Future[Any]] = {serving, ready}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
        app, transport = ready.result()
        yield CrossLoopTransport(transport, thread.loop, app)
    finally:
        watch.cancel()
        thread.loop.call_soon_threadsafe(stop.set)
        done, _ = await asyncio.wait({serving}, timeout=_FAREWELL)
        if not done:
            _log.error("the agent's graphs do not let go of their loop: the process stops without them")
        await thread.stop(wait=bool(done))


class LoopThread:
    """A thread that runs an event loop."""

    def __init__(self, make_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self.loop = make_loop()
        # A daemon: a node that blocks for ever must not keep the process from ending.
        self._thread = threading.Thread(target=self._run, name="graphs", daemon=True)
        self._thread.start()

    @property
    def ident(self) -> int:
        """The thread's number, as `sys._current_frames` has it."""
        return self._thread.ident or 0

    def submit(self, work: Coroutine[Any, Any, _T]) -> asyncio.Future[_T]:
        """Run a coroutine there; cancelling what is returned cancels it."""
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self.loop))

    async def stop(self, *, wait: bool) -> None:
        """End the loop, once what runs on it lets go."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        if wait:
            await asyncio.to_thread(self._thread.join, _FAREWELL)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            self.loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
        finally:
            self.loop.close()


class CrossLoopTransport(httpx.AsyncBaseTransport):
    """Hands requests to a transport on another loop, and their answers back, piece by piece.

    Read time-outs are kept on this side, too: a loop that is blocked keeps none.
    """

    def __init__(
        self, inner: StreamingASGITransport, loop: asyncio.AbstractEventLoop, app: Starlette
    ) -> None:
        self._inner = inner
        self._loop = loop
        self._app = app

    async def reload_graphs(self, options: EmbeddedOptions) -> None:
        """Load the graphs of these options over there. Raises ConfigError; the old ones stay then."""

        async def load() -> None:
            reload_graphs(self._app, options)

        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(load(), self._loop))

    def graph_files(self) -> tuple[Path, ...]:
        """Return the files of users' code that the graphs are made of."""
        return graph_files(self._app)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Call the application; returns when the response begins."""
        body = await request.aread()
        sent = httpx.Request(
            request.method, request.url, headers=request.headers, content=body, extensions=request.extensions
        )
        patience = request.extensions.get("timeout", {}).get("read")
        relay = _Relay(asyncio.get_running_loop(), self._loop, patience, request)
        call = asyncio.run_coroutine_threadsafe(relay.call(self._inner, sent), self._loop)
        try:
            async with asyncio.timeout(patience):
                await relay.wait()
        except TimeoutError as error:
            call.cancel()
            raise httpx.ReadTimeout("the application did not answer in time", request=request) from error
        except asyncio.CancelledError:
            call.cancel()
            raise
        response = relay.response
        if response is None:
            raise relay.failure()
        return httpx.Response(
            response.status_code, headers=response.headers.raw, stream=_RelayedBody(relay, call.cancel)
        )


class _Relay:
    """One answer on its way from the loop `there` to the loop `here`."""

    def __init__(
        self,
        here: asyncio.AbstractEventLoop,
        there: asyncio.AbstractEventLoop,
        patience: float | None,
        request: httpx.Request,
    ) -> None:
        self._here = here
        self._there = there
        self._patience = patience
        self._request = request
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._lock = threading.Lock()
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._told = False
        self._planned = False
        self._ended = False
        self._error: BaseException | None = None
        self.response: httpx.Response | None = None

    async def call(self, inner: StreamingASGITransport, request: httpx.Request) -> None:
        """Make the request, there, and pass on what comes."""
        try:
            self.response = response = await inner.handle_async_request(request)
            self._tell()
            try:
                async for piece in response.aiter_raw():
                    await self._put(piece)
            finally:
                await response.aclose()
        except (httpx.HTTPError, OSError) as error:
            self._error = error
        finally:
            self._ended = True
            self._tell()

    async def wait(self) -> None:
        """Wait, here, until there is news."""
        await self._news.wait()
        with self._lock:
            self._told = False
            self._news.clear()

    def failure(self) -> BaseException:
        """Why there is no answer."""
        if isinstance(self._error, httpx.HTTPError):
            return self._error
        return httpx.RemoteProtocolError("the application did not answer", request=self._request)

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes, here."""
        while True:
            ended = self._ended
            if taken := self._take():
                yield taken
                continue
            if ended:
                break
            try:
                async with asyncio.timeout(self._patience):
                    await self.wait()
            except TimeoutError as error:
                text = "the application was silent for too long"
                raise httpx.ReadTimeout(text, request=self._request) from error
        if self._error is not None:
            raise self._error

    def _take(self) -> bytes:
        with self._lock:
            taken, full = b"".join(self._pieces), self._size > _BUFFERED
            self._pieces.clear()
            self._size = 0
        if full:
            self._there.call_soon_threadsafe(self._room.set)
        return taken

    async def _put(self, piece: bytes) -> None:
        with self._lock:
            self._pieces.append(piece)
            self._size += len(piece)
            full = self._size > _BUFFERED
        if full:
            self._tell()
            await self._room.wait()
            self._room.clear()
        elif not self._planned:
            # Each crossing wakes a thread: words that come at once cross together.
            self._planned = True
            self._there.call_later(_GATHERING, self._tell_of_pieces)

    def _tell_of_pieces(self) -> None:
        self._planned = False
        self._tell()

    def _tell(self) -> None:
        with self._lock:
            if self._told:
                return
            self._told = True
        self._here.call_soon_threadsafe(self._news.set)


class _RelayedBody(httpx.AsyncByteStream):
    def __init__(self, relay: _Relay, leave: Callable[[], object]) -> None:
        self._relay = relay
        self._leave = leave

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._relay.pieces():
            yield piece

    async def aclose(self) -> None:
        self._leave()
