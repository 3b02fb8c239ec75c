"""A network between a channel and its platform that can fail as networks do."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from benchmarks.kit.free_ports import free_port
from parley.simulator.kit.http_server import stop_listening

_PIECE = 65536


class Relay:
    """Carries TCP from its own port on 127.0.0.1 to another one; it keeps that port whatever happens."""

    def __init__(self, to: int) -> None:
        self.to = to
        self._server: asyncio.Server | None = None
        self._pipes: set[_Pipe] = set()
        self.port = free_port()

    @property
    def url(self) -> str:
        """Its address for HTTP."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.shut()

    async def open(self) -> None:
        """Take connections (again)."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port, reuse_address=True)

    async def shut(self) -> None:
        """The network is gone: what stands is cut, and the port refuses."""
        server, self._server = self._server, None
        if server is not None:
            await stop_listening(server)
        self.cut()
        await asyncio.gather(*(pipe.gone.wait() for pipe in self._pipes))

    def cut(self) -> None:
        """Reset every connection that stands; new ones are carried."""
        for pipe in self._pipes:
            pipe.cut()

    def freeze(self) -> None:
        """Stop the other end of every connection that stands: nothing comes or goes, and nobody says so."""
        for pipe in self._pipes:
            pipe.frozen = True

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.to)
        pipe = _Pipe(writer, back)
        if self._server is None:  # the network is gone by now
            pipe.cut()
            return
        self._pipes.add(pipe)
        try:
            await pipe.run(reader, there)
        finally:
            pipe.cut()
            self._pipes.discard(pipe)
            pipe.gone.set()


class _Pipe:
    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter) -> None:
        self._near, self._far = near, far
        self._ended = asyncio.Event()
        self.frozen = False
        self.gone = asyncio.Event()

    def cut(self) -> None:
        for writer in (self._near, self._far):
            writer.transport.abort()
        self._ended.set()

    async def run(self, near: asyncio.StreamReader, far: asyncio.StreamReader) -> None:
        ways = [
            asyncio.create_task(self._way(near, self._far)),
            asyncio.create_task(self._way(far, self._near)),
        ]
        # A frozen pipe ends only when it is cut: neither side learns what became of the other.
        await self._ended.wait()
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

    async def _way(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while piece := await reader.read(_PIECE):
                if not self.frozen:
                    writer.write(piece)
                    await writer.drain()
        except ConnectionError:
            pass
        if not self.frozen:
            self._ended.set()
