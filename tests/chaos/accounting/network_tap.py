"""A node's way to a platform, on which it is heard which message of the platform the node writes to."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

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
    """Carries a node's HTTP from its own port on 127.0.0.1 to the port of a platform."""

    def __init__(self, to: int, node: str, ear: TapLog) -> None:
        self.to, self.node, self.ear = to, node, ear
        self.port = 0

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Near(self), "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()


class _Side(asyncio.Protocol):
    """One end of a connection: what it hears goes to the other end, an end of it too."""

    def __init__(self) -> None:
        self.wire: asyncio.Transport | None = None
        self.other: _Side | None = None
        self._early = bytearray()
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.wire = transport
        if self._over:
            transport.abort()
        elif self._early:
            transport.write(bytes(self._early))

    def say(self, piece: bytes) -> None:
        """Send this, once there is a connection."""
        if self.wire is None:
            self._early += piece
        else:
            self.wire.write(piece)

    def end(self, *, abruptly: bool) -> None:
        """Send no more."""
        self._over = True
        if self.wire is not None:
            self.wire.abort() if abruptly else self.wire.close()

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.say(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            # A platform that cuts a connection does so without a word.
            self.other.end(abruptly=True)


class _Near(_Side):
    """The node's end."""

    def __init__(self, tap: NetworkTap) -> None:
        super().__init__()
        self._tap, self._requests = tap, Requests()
        self._life = tap.ear.lives.get(tap.node, 0)
        self._dialling: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.other = far = _Side()
        far.other = self
        self._dialling = asyncio.create_task(self._dial(far))

    async def _dial(self, far: _Side) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: far, "127.0.0.1", self._tap.to)
        except OSError:
            self.end(abruptly=True)

    def data_received(self, data: bytes) -> None:
        for name in self._requests.feed(data):
            self._tap.ear.hear(name, self._tap.node, self._life)
        super().data_received(data)
