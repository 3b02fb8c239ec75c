"""A way to a server that can hold what is sent: it arrives later, also when its sender is gone by then."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from benchmarks.kit.free_ports import free_port
from tests.kit.machine import patience

_PIECE = 65536


class HoldingProxy:
    """Carries TCP from its own port on 127.0.0.1 to the server of a URL, in a thread of its own."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.port is not None
        self._target = parts.port
        self._port = free_port()
        self.url = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{self._port}")
        self._loop = asyncio.new_event_loop()
        self._flows: asyncio.Event | None = None
        self._ways: set[asyncio.Task[None]] = set()
        self._ends: set[asyncio.StreamWriter] = set()
        self._stopped: asyncio.Event | None = None
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._up.wait(patience(30))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._stopped is not None
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    def hold(self) -> None:
        """Let nothing arrive from now on, and nobody know."""
        assert self._flows is not None
        self._loop.call_soon_threadsafe(self._flows.clear)

    def release(self) -> None:
        """Let everything arrive that was held, and what comes."""
        assert self._flows is not None
        self._loop.call_soon_threadsafe(self._flows.set)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._flows, self._stopped = asyncio.Event(), asyncio.Event()
        self._flows.set()
        server = await asyncio.start_server(self._carry, "127.0.0.1", self._port)
        self._up.set()
        await self._stopped.wait()
        server.close()
        for way in self._ways:
            way.cancel()
        for end in self._ends:
            end.transport.abort()
        await asyncio.gather(*self._ways, return_exceptions=True)
        await asyncio.sleep(0)  # transports are closed by then

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        self._ends |= {writer, back}
        for way in (self._way(reader, back), self._way(there, writer)):
            task = asyncio.create_task(way)
            self._ways.add(task)
            task.add_done_callback(self._ways.discard)

    async def _way(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take whatever comes at once: of a sender that resets, it would be lost with the connection."""
        pieces: asyncio.Queue[bytes] = asyncio.Queue()
        task = asyncio.create_task(self._forward(pieces, writer))
        self._ways.add(task)
        task.add_done_callback(self._ways.discard)
        with suppress(ConnectionError):
            while piece := await reader.read(_PIECE):
                pieces.put_nowait(piece)
        if self._flows is not None and self._flows.is_set():
            pieces.put_nowait(b"")  # else the other side is not told: it would forget what it was sent

    async def _forward(self, pieces: asyncio.Queue[bytes], writer: asyncio.StreamWriter) -> None:
        assert self._flows is not None
        with suppress(ConnectionError):
            while piece := await pieces.get():
                await self._flows.wait()
                writer.write(piece)
                await writer.drain()
            writer.close()
            await writer.wait_closed()
