"""What a command writes, of which the beginning and the end are kept."""

from __future__ import annotations

from collections import deque

_MOST_WRITTEN = 20_000_000
_CONTROLS = {code: "�" for code in range(32) if chr(code) not in "\n\t"} | {127: "�", 13: None}
"""A terminal that shows the log or the chat is not steered by it."""


class KeptOutput:
    """Keeps at most `most` bytes of a stream."""

    def __init__(self, most: int) -> None:
        self._most, self._written, self._kept = most, 0, 0
        self._head = b""
        self._tail: deque[bytes] = deque()

    @property
    def too_much(self) -> bool:
        """Whether it writes more than anybody could want."""
        return self._written > _MOST_WRITTEN

    def add(self, piece: bytes) -> None:
        """Take a piece."""
        self._written += len(piece)
        room = self._most // 2 - len(self._head)
        if room > 0:
            self._head, piece = self._head + piece[:room], piece[room:]
        if piece:
            self._tail.append(piece)
            self._kept += len(piece)
        while self._tail and self._kept - len(self._tail[0]) >= self._most // 2:
            self._kept -= len(self._tail.popleft())

    def text(self) -> str:
        """Return what is kept, with a line where something is missing."""
        half = self._most // 2
        tail = b"".join(self._tail)[-half:]
        missing = self._written - len(self._head) - len(tail)
        if not missing:
            return _readable(self._head + tail)
        return f"{_readable(self._head)}\n[... {missing} bytes are left out ...]\n{_readable(tail)}"


def _readable(content: bytes) -> str:
    return content.decode(errors="replace").translate(_CONTROLS)
