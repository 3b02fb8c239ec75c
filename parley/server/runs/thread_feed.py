"""What happens on a thread, run after run, for whoever watches the thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass

from parley.server.runs.event_log import SseEvent, parse_event_id
from parley.server.runs.thread_queues import ActiveRun

_LIFECYCLE = frozenset({b"metadata", b"end", b"error"})


@dataclass(frozen=True, slots=True)
class FeedPlace:
    """Where somebody stopped to watch: a run and its last event. The run "" is now, "-" the beginning."""

    run_id: str
    event: int = 0

    @classmethod
    def parse(cls, header: str | None) -> FeedPlace:
        """Read it from a Last-Event-ID."""
        run_id, _, number = (header or "").strip().partition(":")
        return cls(run_id, parse_event_id(number))


class ThreadFeeds:
    """Tells the watchers of a thread of each run that begins on it."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[asyncio.Queue[ActiveRun]]] = {}

    def begin(self, run: ActiveRun) -> None:
        """Say that a run begins."""
        for queue in self._watchers.get(run.row.thread_id, ()):
            queue.put_nowait(run)

    def watched(self, thread_id: str) -> bool:
        """Whether somebody watches the thread."""
        return thread_id in self._watchers

    async def follow(
        self,
        thread_id: str,
        find_known: Callable[[], Awaitable[list[ActiveRun]]],
        place: FeedPlace,
        modes: Collection[str],
    ) -> AsyncIterator[bytes]:
        """Frames of the thread's runs from a place on, as long as somebody reads them.

        `find_known` returns the runs of the thread that have begun, in their order.
        """
        queue: asyncio.Queue[ActiveRun] = asyncio.Queue()
        watchers = self._watchers.setdefault(thread_id, set())
        watchers.add(queue)
        try:
            known = await find_known()
            seen, waiting = {run.row.run_id for run in known}, _since(known, place)
            while True:
                run = waiting.pop(0) if waiting else await self._next(queue, seen)
                after = place.event if run.row.run_id == place.run_id else 0
                async for events in run.log.events(after):
                    if piece := b"".join(_named(run, each) for each in events if _wanted(each, modes)):
                        yield piece
        finally:
            watchers.discard(queue)
            if not watchers:
                self._watchers.pop(thread_id, None)

    async def _next(self, queue: asyncio.Queue[ActiveRun], seen: set[str]) -> ActiveRun:
        """The next run that begins; one that was taken over by another server begins again, and is there."""
        while True:
            run = await queue.get()
            if run.row.run_id not in seen:
                seen.add(run.row.run_id)
                return run


def _since(known: list[ActiveRun], place: FeedPlace) -> list[ActiveRun]:
    if place.run_id == "-":
        return known
    ids = [run.row.run_id for run in known]
    if place.run_id in ids:
        return known[ids.index(place.run_id) :]
    return [run for run in known if not run.done.is_set()]


def _named(run: ActiveRun, event: SseEvent) -> bytes:
    """A frame whose id says of which run it is."""
    return event.frame.rpartition(b"id: ")[0] + f"id: {run.row.run_id}:{event.id}\r\n\r\n".encode()


def _wanted(event: SseEvent, modes: Collection[str]) -> bool:
    if "run_modes" in modes:
        return True
    name = event.frame.removeprefix(b"event: ").partition(b"\r\n")[0]
    return "lifecycle" in modes and name in _LIFECYCLE
