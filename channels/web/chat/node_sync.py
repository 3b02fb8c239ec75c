"""The pages of several nodes: what happens on one is shown on all.

A page is served by one node, and its turns may be worked by another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from pydantic import TypeAdapter, ValidationError

from parley.channels.web.chat.event_log import ChatEvent, EntryShown
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.pubsub import Notifier

log = logging.getLogger(__name__)

_TOPIC = "web"
_PAUSE = 0.3
"""Seconds between two snapshots of a growing reply for the pages of other nodes."""

_EVENT: TypeAdapter[ChatEvent] = TypeAdapter(ChatEvent)


class NodeSync:
    """Tells other nodes' pages, and hears what they tell: `shown` and `missed` are called with it."""

    def __init__(
        self, news: Notifier, shown: Callable[[ChatEvent], None], missed: Callable[[], None]
    ) -> None:
        self._news = news
        self._shown = shown
        self._missed = missed
        self._growing: dict[str, EntryShown] = {}
        self._task: asyncio.Task[None] | None = None
        news.subscribe(_TOPIC, self)

    async def publish(self, event: ChatEvent) -> None:
        """Show it everywhere; of a reply that grows its newest snapshot, soon. Raises StoreUnavailable."""
        if not self._news.shared:
            return
        if isinstance(event, EntryShown):
            self._growing.pop(event.entry.id, None)
            if not event.entry.final:
                self._growing[event.entry.id] = event
                self._task = self._task or asyncio.create_task(self._tell_growing())
                return
        await self._news.publish(_TOPIC, _EVENT.dump_json(event).decode())

    def on_message(self, text: str) -> None:
        """Show what happened on another node."""
        try:
            event = _EVENT.validate_json(text)
        except ValidationError:
            log.warning("web: what a node of another version told is not shown")
            return
        self._shown(event)

    def on_gap(self) -> None:
        """Note that something may have happened there."""
        self._missed()

    async def _tell_growing(self) -> None:
        while self._growing:
            for turn in tuple(self._growing):
                if event := self._growing.pop(turn, None):
                    with suppress(StoreUnavailable):  # the next one holds all of it
                        await self._news.publish(_TOPIC, _EVENT.dump_json(event).decode())
            await asyncio.sleep(_PAUSE)
        self._task = None
