"""A run's events: numbered, kept for a while within bounds, and read by any number of followers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from parley.server.serialisation import dumps

_IDS_PER_ATTEMPT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event, encoded: `id` grows by one within an attempt, and attempts never overlap."""

    id: int
    frame: bytes


def encode_sse(event_id: int, name: str, data: object) -> bytes:
    """An event as server-sent events carry it."""
    # JSON escapes line breaks inside strings, so the data is always one line; a node's name may hold any.
    label = " ".join(name.split()).encode("utf-8", "replace")
    return b"event: %b\r\ndata: %b\r\nid: %d\r\n\r\n" % (label, dumps(data), event_id)


def parse_event_id(header: str | None) -> int:
    """The number in a Last-Event-ID header; anything else asks for everything."""
    digits = (header or "").strip()
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else 0


class RunEventLog:
    """The events of one run, in this process.

    Holds at most `max_events` and `max_bytes`: beyond that the oldest go, and a reader who had not
    seen them is told of the gap. `sink` is given each event that happens here, and `dropped` is the id of the
    last one that went.
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._events: deque[SseEvent] = deque()
        self._next = 1
        self.sink: Callable[[SseEvent], None] | None = None
        self._grown = asyncio.Event()
        self.size = 0
        self.dropped = 0
        self.closed = False

    @property
    def begun(self) -> bool:
        """Whether anything has happened."""
        return self._next > 1

    def begin(self, attempt: int) -> None:
        """Number events from here on as an attempt's."""
        self._next = max(self._next, attempt * _IDS_PER_ATTEMPT + 1)

    def append(self, name: str, data: object) -> None:
        """Add an event."""
        event = SseEvent(self._next, encode_sse(self._next, name, data))
        if self.sink is not None:
            self.sink(event)
        self._keep(event)
        self._notify()

    @property
    def last(self) -> int:
        """The id of the newest event, 0 where there is none."""
        return self._next - 1 if self._events else 0

    def take(self, events: Sequence[SseEvent]) -> None:
        """Add events that happened at another server."""
        for event in events:
            self._keep(event)
        self._notify()

    def close(self) -> None:
        """Say that no more will come."""
        self.closed = True
        self._notify()

    async def follow(self, after: int) -> AsyncIterator[bytes]:
        """Frames of all events with ids above `after`, those to come included, until closed.

        Whatever is there at once comes as one piece.
        """
        async for events in self.events(after):
            yield b"".join([event.frame for event in events])

    async def events(self, after: int) -> AsyncIterator[list[SseEvent]]:
        """The events themselves, as many at a time as are there."""
        while True:
            grown = self._grown
            pieces = self._since(after)
            if pieces:
                after = self._events[-1].id
                yield pieces
            elif self.closed:
                return
            else:
                await grown.wait()

    def _keep(self, event: SseEvent) -> None:
        self._events.append(event)
        self._next = event.id + 1
        self.size += len(event.frame)
        while len(self._events) > self._max_events or (self.size > self._max_bytes and len(self._events) > 1):
            gone = self._events.popleft()
            self.size, self.dropped = self.size - len(gone.frame), gone.id

    def _since(self, after: int) -> list[SseEvent]:
        events = self._events
        if not events or events[-1].id <= after:
            return []
        oldest = events[0].id
        if after < oldest:
            missed = oldest - 1 - max(after, oldest // _IDS_PER_ATTEMPT * _IDS_PER_ATTEMPT)
            gap = encode_sse(oldest - 1, "gap", {"missed": missed})
            return [*([SseEvent(oldest - 1, gap)] if missed else []), *events]
        newer = list(takewhile(lambda event: event.id > after, reversed(events)))
        return newer[::-1]

    def _notify(self) -> None:
        self._grown.set()
        self._grown = asyncio.Event()
