"""Which node is told of work: this one where it has room, else one other."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.queue_events import QueueEvents

_MORE = 4
"""Lanes that this node holds more than another before it leaves work to that one."""

_PAUSE = 0.02
"""Seconds between notices to other nodes: what comes up meanwhile goes together."""

_NOTIFY = "SELECT pg_notify(channel, notice) FROM unnest(%s::text[], %s::text[]) AS t (channel, notice)"


@dataclass(slots=True)
class Peer:
    """Another node: where it is told of work, and how many lanes it held, with what it was told since."""

    channel: str
    held: int


class WorkSignals:
    """Tells one node of each lane that comes free.

    Nothing is told where this node has room: it just looks. A notice that is lost, or goes to a node that has
    ended, is made up for by the looks of all who wait. `peers` are the other nodes.
    """

    def __init__(self, writer: Batcher, events: QueueEvents, everybody: str) -> None:
        """Take where all listen: there a notice is the queue's name alone, for older nodes."""
        self.channel = f"parley/{secrets.token_hex(8)}"
        self._writer = writer
        self._everybody = everybody
        self._events = events
        self.peers: Sequence[Peer] = ()
        self._held = 0
        self._out: dict[tuple[str, str], float] = {}
        self._sender: asyncio.Task[None] | None = None

    def know(self, held: int, channels: Sequence[str], lanes: Sequence[int]) -> None:
        """Take how many lanes this node holds by the store, and the others."""
        self._held = held
        self.peers = [Peer(*peer) for peer in zip(channels, lanes, strict=True)]

    def count(self, lanes: int) -> None:
        """Note that this node holds so many lanes more, or less."""
        self._held = max(self._held + lanes, 0)

    def ready(self, queues: Iterable[str], due: Sequence[float | None]) -> None:
        """Tell of lanes that are ready in so many seconds; None is one that is not."""
        for queue, seconds in zip(queues, due, strict=True):
            if seconds is not None:
                self._tell(queue, seconds)

    def take(self, notice: str) -> None:
        """Take what another node told this one alone."""
        seconds, _, queue = notice.partition(" ")
        with suppress(ValueError):
            self._events.wake_in(queue, float(seconds))

    def _tell(self, queue: str, seconds: float) -> None:
        peer = self._lighter_peer(queue)
        if peer is None:
            self._events.wake_in(queue, seconds)
            return
        peer.held += 1
        told = (peer.channel, queue)
        self._out[told] = min(self._out.get(told, seconds), seconds)
        if self._sender is None:
            self._sender = asyncio.create_task(self._send(), name="parley-store-signals")

    def _lighter_peer(self, queue: str) -> Peer | None:
        """Return who has the work; None is this node. Of two by chance: else all would take the same one."""
        if not self.peers:
            return None
        peer = min(random.sample(self.peers, min(2, len(self.peers))), key=lambda each: each.held)
        if self._events.has_room(queue) and self._held <= peer.held + _MORE:
            return None
        return peer

    async def _send(self) -> None:
        while self._out:
            told, self._out = self._out, {}
            channels = [channel for channel, _ in told]
            notices = [self._notice(*place, seconds) for place, seconds in told.items()]
            with suppress(StoreUnavailable):  # the others find it when they look
                await self._writer.submit(SqlCall(_NOTIFY, (channels, notices)))
            await asyncio.sleep(_PAUSE)
        self._sender = None

    def _notice(self, channel: str, queue: str, seconds: float) -> str:
        return queue if channel == self._everybody else f"{seconds:.3f} {queue}"

    async def close(self) -> None:
        """Tell nobody any more."""
        if self._sender is not None:
            self._sender.cancel()
            await asyncio.wait([self._sender])
