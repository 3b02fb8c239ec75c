"""What a channel was answered to, call by call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from parley.channels.kit.http.wire_listener import (
    WireExchange,
    WireListener,
    listening_to_wires,
    wire_listener,
)


class HeardCalls:
    """Listens beside whoever listens already. `answered` are the paths of answered calls."""

    def __init__(self, beside: WireListener | None) -> None:
        self._beside = beside
        self.answered: list[str] = []

    def on_exchange(self, exchange: WireExchange) -> None:
        self.answered.append(urlsplit(exchange.url).path)
        if self._beside is not None:
            self._beside.on_exchange(exchange)

    def on_frame(self, data: str | bytes, *, inward: bool) -> None:
        if self._beside is not None:
            self._beside.on_frame(data, inward=inward)

    def on_post(self, path: str, body: bytes) -> None:
        if self._beside is not None:
            self._beside.on_post(path, body)


@contextmanager
def hearing_calls() -> Iterator[HeardCalls]:
    """Hear channels that connect meanwhile."""
    heard = HeardCalls(wire_listener())
    with listening_to_wires(heard):
        yield heard
