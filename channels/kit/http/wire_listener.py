"""Who listens to what channels say on their wires: nobody, unless an operator records it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WireExchange:
    """A request and its response, with all secrets; the bodies may be cut."""

    method: str
    url: str
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes


class WireListener(Protocol):
    """Is told everything as it happens. It must not raise, nor take long."""

    def on_exchange(self, exchange: WireExchange) -> None: ...

    def on_frame(self, data: str | bytes, *, inward: bool) -> None: ...

    def on_post(self, path: str, body: bytes) -> None: ...


_listening: list[WireListener] = []


@contextmanager
def listening_to_wires(listener: WireListener) -> Iterator[None]:
    """Tell the listener of every channel that connects while this is entered."""
    _listening.append(listener)
    try:
        yield
    finally:
        _listening.remove(listener)


def wire_listener() -> WireListener | None:
    """Return who listens, None for nobody."""
    return _listening[-1] if _listening else None


def note_post(path: str, body: bytes) -> None:
    """Tell who listens what a platform posted to a hook."""
    if _listening:
        _listening[-1].on_post(path, body)
