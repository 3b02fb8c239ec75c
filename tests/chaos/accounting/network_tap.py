"""A node's ways to others; on those to platforms it is heard which message of the platform it writes to."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.chaos.injection.network import Gate, Network

# What names the message that a call changes, by the address of the call: in the address, or in the body.
_NAMES = tuple(
    (re.compile(path), re.compile(name))
    for path, name in (
        (rb"/editMessageText$", rb"(?:^|&)message_id=(\d+)"),
        (rb"/chat\.(?:update|appendStream|stopStream)$", rb'(?:"ts": ?"|(?:^|&)ts=)([\d.]+)'),
        (rb"/cardkit/v1/cards/(\w+)/", rb""),
        (rb"/v1\.0/card/(?:streaming|instances)$", rb'"outTrackId": ?"([^"]+)"'),
    )
)
_CHAT = re.compile(rb'(?:^|&)chat_id=(-?\d+)|"channel": ?"(\w+)"')
_LENGTH = re.compile(rb"^content-length: *(\d+)", re.IGNORECASE | re.MULTILINE)
_MOST = 1 << 18


@dataclass(frozen=True, slots=True)
class Write:
    """A change of a message: which, by which life of which node, and when (monotonic seconds)."""

    message: str
    node: str
    life: int
    at: float


class Requests:
    """What a client says on one connection, request by request; deaf after what it does not understand."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._skip = 0
        self._deaf = False

    def feed(self, piece: bytes) -> Sequence[str]:
        """The names of messages in requests that are whole now."""
        if self._deaf:
            return ()
        skipped = min(self._skip, len(piece))
        self._skip -= skipped
        self._bytes += piece[skipped:]
        names = list[str]()
        while (end := self._bytes.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._bytes[:end])
            length = _length(head)
            if length is None:
                self._deaf = True
                return names
            if length > _MOST:
                self._skip = max(0, end + 4 + length - len(self._bytes))
                del self._bytes[: end + 4 + length]
                continue
            if len(self._bytes) < end + 4 + length:
                break
            names += _names(head, bytes(self._bytes[end + 4 : end + 4 + length]))
            del self._bytes[: end + 4 + length]
        return names


def _length(head: bytes) -> int | None:
    """How long the body is; None where that is not said, or it is no request of this kind any more."""
    lowered = head.lower()
    if b"\r\nupgrade:" in lowered or b"\r\ntransfer-encoding:" in lowered:
        return None
    found = _LENGTH.search(head)
    return int(found[1]) if found else 0


def _names(head: bytes, body: bytes) -> list[str]:
    verb, _, rest = head.partition(b" ")
    if verb == b"GET":
        return []
    path = rest.partition(b" ")[0].partition(b"?")[0]
    for pattern, name in _NAMES:
        if at := pattern.search(path):
            found = at if at.groups() else name.search(body)
            chat = _CHAT.search(body)
            where = next((each for each in chat.groups() if each), b"") if chat else b""
            return [f"{where.decode()}:{found[1].decode()}"] if found else []
    return []


@dataclass
class TapLog:
    """Everything that was heard on taps."""

    writes: list[Write] = field(default_factory=list)
    lives: dict[str, int] = field(default_factory=dict)

    def hear(self, message: str, node: str, life: int) -> None:
        """A node writes to a message."""
        self.writes.append(Write(message, node, life, time.monotonic()))


class NetworkTap:
    """Carries a node's connections to a port on 127.0.0.1: from another one there, or from the same in its
    `network`, where it has one. With `ear` it is heard what is said on the way; `gate` holds it.
    """

    def __init__(
        self, to: int, node: str, ear: TapLog | None, gate: Gate, network: Network | None = None
    ) -> None:
        self.to, self.node, self.ear, self.gate, self.network = to, node, ear, gate, network
        self.port = 0

    async def __aenter__(self) -> Self:
        own = self.network
        listener = own.listener(self.to) if own else socket.create_server(("127.0.0.1", 0))
        self._server = await asyncio.get_running_loop().create_server(lambda: _Near(self), sock=listener)
        self.port = listener.getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    async def dial(self, far: _Side) -> None:
        """Open the other end. Raises OSError."""
        await asyncio.get_running_loop().create_connection(lambda: far, "127.0.0.1", self.to)


class WayIn(NetworkTap):
    """Carries connections from outside to the same port in a node's network."""

    def __init__(self, port: int, node: str, network: Network) -> None:
        super().__init__(port, node, None, Gate(), network)

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Near(self), "127.0.0.1", self.to)
        self.port = self.to
        return self

    async def dial(self, far: _Side) -> None:
        assert self.network is not None
        made = await self.network.connect(self.to)
        await asyncio.get_running_loop().create_connection(lambda: far, sock=made)


class _Side(asyncio.Protocol):
    """One end of a connection: what it hears goes to the other end, an end of it too."""

    def __init__(self, gate: Gate) -> None:
        self.wire: asyncio.Transport | None = None
        self.other: _Side | None = None
        self._gate = gate
        self._early = bytearray()
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.wire = transport
        if self._over and not self._early:
            transport.abort()
        else:
            self._deliver()

    def say(self, piece: bytes) -> None:
        """Send this, once there is a connection, and nothing is held."""
        if self.wire is not None and self._gate.is_open:
            self.wire.write(piece)
            return
        if not self._gate.is_open and not self._early:
            self._gate.when_open(self._deliver)
        self._early += piece

    def _deliver(self) -> None:
        if self.wire is None:
            return
        if not self._gate.is_open:
            self._gate.when_open(self._deliver)
            return
        self.wire.write(bytes(self._early))
        self._early.clear()
        if self._over:
            self.wire.close()

    def end(self, *, abruptly: bool) -> None:
        """Send no more; what is held arrives before."""
        self._over = True
        if self.wire is not None and not self._early:
            self.wire.abort() if abruptly else self.wire.close()

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.say(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            # A platform that cuts a connection does so without a word.
            self.other.end(abruptly=True)


class _Near(_Side):
    """The end of whoever connects."""

    def __init__(self, tap: NetworkTap) -> None:
        super().__init__(tap.gate)
        self._tap, self._requests = tap, Requests()
        self._life = tap.ear.lives.get(tap.node, 0) if tap.ear else 0
        self._dialling: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.other = far = _Side(self._tap.gate)
        far.other = self
        self._dialling = asyncio.create_task(self._dial(far))

    async def _dial(self, far: _Side) -> None:
        try:
            await self._tap.dial(far)
        except OSError:
            self.end(abruptly=True)

    def data_received(self, data: bytes) -> None:
        if self._tap.ear is not None:
            for name in self._requests.feed(data):
                self._tap.ear.hear(name, self._tap.node, self._life)
        super().data_received(data)
