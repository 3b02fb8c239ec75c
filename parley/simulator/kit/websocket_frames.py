"""WebSocket messages in several frames, which aiohttp does not write."""

from __future__ import annotations


def fragment_text(text: str, size: int) -> bytes:
    """Return a server's text message in frames of at most `size` bytes."""
    data = text.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
    last = len(pieces) - 1
    return b"".join(
        _frame((0x80 if number == last else 0) | (0 if number else 1), piece)
        for number, piece in enumerate(pieces)
    )


def _frame(head: int, data: bytes) -> bytes:
    """Return a server's frame with this first byte."""
    if len(data) < 126:
        return bytes((head, len(data))) + data
    if len(data) < 65536:
        return bytes((head, 126)) + len(data).to_bytes(2, "big") + data
    return bytes((head, 127)) + len(data).to_bytes(8, "big") + data
