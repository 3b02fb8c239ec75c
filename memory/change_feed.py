"""Feed of changes: which person's memory changed, for this process and the other nodes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.memory.changes import ANYBODY
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.memory.model.document import StoredMemory
from parley.memory.storage.port import MemoryStore

log = logging.getLogger(__name__)

_TOPIC = "memory"


class MemoryChangeFeed:
    """Implements the port `MemoryChanges`. Listeners are called in the event loop, and return at once."""

    def __init__(self, news: Notifier = NULL_NOTIFIER) -> None:
        self._news = news
        self._listeners: list[Callable[[str], None]] = []
        self._telling: set[asyncio.Task[None]] = set()
        news.subscribe(_TOPIC, self)

    def subscribe(self, listener: Callable[[str], None]) -> None:
        self._listeners.append(listener)

    def publish(self, person: str) -> None:
        """Tell that a person's memory changed, here and, in the background, on the other nodes."""
        self.on_message(person)
        if self._news.shared:
            task = asyncio.create_task(self._tell(person))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    def on_message(self, text: str) -> None:
        for listener in self._listeners:
            listener(text)

    def on_gap(self) -> None:
        self.on_message(ANYBODY)

    async def _tell(self, person: str) -> None:
        try:
            await self._news.publish(_TOPIC, person)
        except StoreUnavailable as error:
            log_store_failure(log.info, "person %s: other nodes are not told of a change: %s", person, error)


class PublishingStore:
    """A store of memories that tells of every change that it made."""

    def __init__(self, store: MemoryStore, changed: Callable[[str], None]) -> None:
        self._store = store
        self._changed = changed

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        return await self._store.load(person, assistant)

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        saved = await self._store.save(person, stored, assistant)
        self._changed(person)
        return saved

    async def people_page(self, after: str, limit: int) -> list[str]:
        return list(await self._store.people_page(after, limit))

    async def erase(self, person: str) -> None:
        await self._store.erase(person)
        self._changed(person)
