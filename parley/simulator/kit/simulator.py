"""The shell of a simulated platform: an HTTP server on loopback, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeAlias, TypeVar

from aiohttp import web

from parley.simulator.kit.http_server import cut_connections, serving
from parley.simulator.kit.world import World

KEPT = 200_000
"""So many calls are remembered."""
C = TypeVar("C")
Work: TypeAlias = Coroutine[object, object, None]


class PlatformSimulator(ABC, Generic[C]):
    """A platform for one bot. Use it with `with`; it listens on 127.0.0.1 while open.

    All of it may be used from any thread, and outlives the bot.
    """

    platform: ClassVar[str]
    most_bytes: ClassVar[int]
    """Of a request."""
    world: World

    def __init__(self, port: int) -> None:
        self._calls: deque[tuple[str, C]] = deque(maxlen=KEPT)
        self._port = port
        self._ready = threading.Event()
        name = f"simulated-{self.platform}"
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name=name, daemon=True)

    @property
    def url(self) -> str:
        """Return where it listens: what to use in place of the platform's own address."""
        return f"http://127.0.0.1:{self._port}"

    def calls(self, *methods: str) -> tuple[C, ...]:
        """Return finished calls of the bot, oldest first; with `methods`, of those only."""
        with self.world.changed:
            return tuple(call for method, call in self._calls if not methods or method in methods)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _note(self, method: str, call: C) -> None:
        with self.world.changed:
            self._calls.append((method, call))
            self.world.touch()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=self.most_bytes, middlewares=[cut_connections])
        self._open(app)
        async with serving(app, self._port) as self._port:
            workers = [asyncio.create_task(work) for work in self._listening()]
            self._ready.set()
            await self._stop.wait()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            await self._close()

    @abstractmethod
    def _open(self, app: web.Application) -> None:
        """Make what lives on the server's loop, and add the routes."""

    def _listening(self) -> Sequence[Work]:
        """Note the address, which is known now, and return what runs until the end."""
        return ()

    async def _close(self) -> None:
        """End what does not end with the server."""
