"""What an agent server sends, read within bounds: bytes, events, nesting."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import cast

import orjson
from langgraph_sdk.schema import StreamPart
from langgraph_sdk.sse import BytesLineDecoder, SSEDecoder

from parley.core.model.types import Json

MOST_BYTES = 100_000_000
"""Of one body, and of one event of a stream: files come in both, as text."""

MOST_LEVELS = 200
"""Of lists and objects within each other; orjson takes 1,024, more than Python can write again."""

_LONGEST_ID = 1_000
_SHORT = 60
"""Bytes of a line."""


class UnreadableResponse(ValueError):
    """More than is ever taken; to ask again would bring the same."""


async def read_body(pieces: AsyncIterator[bytes], most: int) -> bytes:
    """Return a whole body. Raises UnreadableResponse once it is longer than `most`, without reading on."""
    body = bytearray()
    async for piece in pieces:
        if len(body) + len(piece) > most:
            raise UnreadableResponse(f"the agent server's answer has more than {most:,} bytes")
        body += piece
    return bytes(body)


def read_json(body: bytes) -> Json:
    """Read a body. Raises UnreadableResponse for JSON that cannot be taken, ValueError for none."""
    try:
        value: Json = orjson.loads(body)
        _check_levels(value, body.count(b"[") + body.count(b"{"))
    except ValueError as error:
        if body[:100].lstrip()[:1] in (b"{", b"["):
            raise UnreadableResponse(f"the agent server's answer cannot be read as JSON: {error}") from error
        raise
    return value


def read_text(text: str) -> Json:
    """Read JSON that came as text within something else. Raises ValueError only."""
    try:
        value: Json = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    _check_levels(value, text.count("[") + text.count("{"))
    return value


def _check_levels(value: Json, openings: int) -> None:
    """Raise ValueError where more than MOST_LEVELS containers stand within each other."""
    if openings <= MOST_LEVELS:
        return
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [inner for outer in level for inner in _contained(outer)]
        if not level:
            return
    raise ValueError(f"nested more than {MOST_LEVELS} levels deep")


def _contained(value: Json) -> Iterator[Json]:
    if type(value) is list:
        yield from (each for each in value if type(each) in (list, dict))
    elif type(value) is dict:
        yield from (each for each in value.values() if type(each) in (list, dict))


class EventReader:
    """Takes a stream of events piece by piece. An event has at most `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lines = BytesLineDecoder()
        self._events = SSEDecoder()
        self._size = 0
        self._openings = 0

    def feed(self, piece: bytes) -> Iterator[StreamPart]:
        """Return the events that `piece` completes.

        Raises UnreadableResponse where one grows too large, ValueError where its data make no sense.
        """
        decode, most = self._events.decode, self._most
        for line in cast("list[bytes]", self._lines.decode(piece)):
            length = len(line)
            if not length:
                if part := self._complete():
                    yield part
                continue
            self._size += length
            if self._size > most:
                raise self._too_large()
            # Several lines for each token: a short one counts as if all of it opened something.
            self._openings += length if length <= _SHORT else line.count(b"[") + line.count(b"{")
            decode(line)
        if self._size + len(self._lines.buffer) > most:
            raise self._too_large()

    def end(self) -> Iterator[StreamPart]:
        """Return what was not closed by an empty line."""
        return self.feed(b"\n\n")

    def _complete(self) -> StreamPart | None:
        openings, self._size, self._openings = self._openings, 0, 0
        part = self._events.decode(b"")
        if part is not None:
            if openings > MOST_LEVELS:
                _check_levels(part.data, openings)
            if part.id is not None and len(part.id) > _LONGEST_ID:
                raise UnreadableResponse(f"an event's id has more than {_LONGEST_ID:,} characters")
        return part

    def _too_large(self) -> UnreadableResponse:
        return UnreadableResponse(f"an event of the agent server has more than {self._most:,} bytes")


def string(value: Json) -> str:
    """`value` where it is text, else ""."""
    return value if isinstance(value, str) else ""
