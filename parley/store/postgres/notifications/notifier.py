"""Telling the other nodes, over the server's own notices."""

from __future__ import annotations

import logging
import secrets
from collections import defaultdict
from collections.abc import Iterator
from itertools import count

from parley.core.ports.pubsub import Subscriber
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall
from parley.store.queue_events import QueueEvents

log = logging.getLogger("parley.store")

_MARK = "~"  # no queue's name begins so
_PART = 1900
"""Characters of one notice: the server takes less than 8,000 bytes, and a character has four at most."""

_MOST_OPEN = 100
"""Texts of which parts are awaited; beyond it the oldest is dropped."""

_MOST_PARTS = 500
"""Parts of one text that are kept; one with more is dropped."""

_NOTIFY = "SELECT pg_backend_pid(), pg_notify(%s, part) FROM unnest(%s::text[]) AS part"

_DEAF = (
    "notices of other nodes do not arrive: work is found up to a second later. Where store.url is a pooler "
    "in transaction mode, set store.listen_url (docs/nodes.md)"
)

_SELF = "self"
"""The topic of what a node tells itself."""


class PostgresNotifier:
    """The News port, and the ear for whatever the listener hears: news, or names of queues to be woken."""

    shared = True

    def __init__(self, writer: Batcher, schema: str, wakeups: QueueEvents) -> None:
        self._writer = writer
        self._schema = schema
        self._wakeups = wakeups
        self._origin = secrets.token_hex(6)
        self._numbers = count(1)
        self._followers: defaultdict[str, list[Subscriber]] = defaultdict(list)
        self._open: dict[tuple[str, str], list[str]] = {}
        self._unheard = False
        self.deaf = False

    async def publish(self, topic: str, text: str) -> None:
        await self._notify(topic, text)

    async def call_itself(self) -> int:
        """Tell this node something, which it is to hear; returns the session of the server that told it.

        Raises StoreUnavailable.
        """
        self._unheard = True
        return await self._notify(_SELF, "")

    async def _notify(self, topic: str, text: str) -> int:
        call = SqlCall(_NOTIFY, (self._schema, list(self._parts(topic, text))))
        (session, _), *_ = await self._writer.submit(call)
        return int(session)

    def note_lost(self, line: str) -> None:
        """Note that nothing is heard, which the `line` says; not where that is known."""
        if not self.deaf:
            log.warning("%s", line)
        self.deaf = True

    def check_hearing(self) -> bool:
        """Return whether that was heard; a change is said in the log."""
        if self._unheard and not self.deaf:
            log.warning(_DEAF)
        if self.deaf and not self._unheard:
            log.warning("notices of other nodes arrive again")
        self.deaf = self._unheard
        return not self.deaf

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        self._followers[topic].append(follower)

    def take(self, notice: str) -> None:
        """Take a notice that came."""
        if not notice.startswith(_MARK):
            self._wakeups.wake([notice])
            return
        head, _, text = notice.removeprefix(_MARK).partition("\n")
        fields = head.split(" ", 4)
        if len(fields) < 5:
            return
        if fields[0] == self._origin:
            self._unheard = self._unheard and fields[4] != _SELF
        else:
            origin, number, part, parts, topic = fields
            self._take_part((f"{origin} {number}", topic), part, parts, text)

    def _take_part(self, key: tuple[str, str], part: str, parts: str, text: str) -> None:
        """Hand over a text all of whose parts came; who follows the topic of any other is told of a gap."""
        if part == "1":
            self._open[key] = []
            if len(self._open) > _MOST_OPEN:
                self._drop(next(iter(self._open)))
        came = self._open.get(key)
        if came is None:
            return  # its beginning was told before we listened, or it was dropped
        if part != str(len(came) + 1) or len(came) == _MOST_PARTS:
            self._drop(key)
            return
        came.append(text)
        if part == parts:
            del self._open[key]
            for follower in self._followers[key[1]]:
                follower.on_message("".join(came))

    def _drop(self, key: tuple[str, str]) -> None:
        """Give up a text of which a part is missing: its followers look at what is kept."""
        del self._open[key]
        for follower in self._followers[key[1]]:
            follower.on_gap()

    def on_gap(self) -> None:
        """Note that notices may have come while nobody listened."""
        self._open.clear()
        self._wakeups.wake_all()
        for followers in self._followers.values():
            for follower in followers:
                follower.on_gap()

    def _parts(self, topic: str, text: str) -> Iterator[str]:
        parts = [text[at : at + _PART] for at in range(0, len(text), _PART)] or [""]
        number = next(self._numbers)
        for place, part in enumerate(parts, 1):
            yield f"{_MARK}{self._origin} {number} {place} {len(parts)} {topic}\n{part}"
