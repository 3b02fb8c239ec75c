"""The pages of several nodes: what happens on one is shown on all.

A page is served by one node, and its turns may be worked by another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from parley.channels.web.chat.event_log import ChatEvent, EntryShown
from parley.channels.web.chat.reply_growth import ReplyGrowth, ToldReplies
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.pubsub import Notifier

log = logging.getLogger(__name__)

_TOPIC = "web"
_GROWTH = "web/growth"
_WHOLE = "web/whole"
_PAUSE = 0.3
"""Seconds between two snapshots of a growing reply for the pages of other nodes."""
_ID_SHOWN = 100

_EVENT: TypeAdapter[ChatEvent] = TypeAdapter(ChatEvent)
_GREW: TypeAdapter[ReplyGrowth] = TypeAdapter(ReplyGrowth)


class NodeSync:
    """Tells other nodes' pages, and hears what they tell: `shown` and `missed` are called with it.

    Of a growing reply the first snapshot is told as a whole, and then what is added. A node that does not
    know what it is added to asks for the whole.
    """

    def __init__(
        self, news: Notifier, shown: Callable[[ChatEvent], None], missed: Callable[[], None]
    ) -> None:
        self._news = news
        self._shown = shown
        self._missed = missed
        self._growing: dict[str, EntryShown] = {}
        self._told = ToldReplies()
        self._heard = ToldReplies()
        self._asked: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        news.subscribe(_TOPIC, self)
        news.subscribe(_GROWTH, _Hearing(self._take_growth))
        news.subscribe(_WHOLE, _Hearing(self._tell_whole))

    async def publish(self, event: ChatEvent) -> None:
        """Show it everywhere; of a reply that grows its newest snapshot, soon. Raises StoreUnavailable."""
        if not self._news.shared:
            return
        if isinstance(event, EntryShown):
            self._growing.pop(event.entry.id, None)
            if not event.entry.final:
                self._growing[event.entry.id] = event
                self._tell_soon()
                return
            self._told.drop(event.entry.id)
        await self._news.publish(_TOPIC, _EVENT.dump_json(event).decode())

    def on_message(self, text: str) -> None:
        """Show what happened on another node."""
        try:
            event = _EVENT.validate_json(text)
        except ValidationError:
            log.warning("web: what a node of another version told is not shown")
            return
        if isinstance(event, EntryShown):
            self._told.drop(event.entry.id)  # another node writes it now
            if event.entry.final:
                self._heard.drop(event.entry.id)
            else:
                self._heard.put(event)
        self._shown(event)

    def on_gap(self) -> None:
        """Note that something may have happened there."""
        self._heard.clear()
        self._missed()

    def _take_growth(self, text: str) -> None:
        try:
            growth = _GREW.validate_json(text)
        except ValidationError:
            log.warning("web: what a node of another version told is not shown")
            return
        self._told.drop(growth.id)
        if shown := self._heard.grown(growth):
            self._heard.put(shown)
            self._shown(shown)
        elif len(growth.id) <= _ID_SHOWN:
            self._asked.add(growth.id)
            self._tell_soon()

    def _tell_whole(self, turn_id: str) -> None:
        """Tell a reply as a whole, where it is this node's."""
        if last := self._told.get(turn_id):
            self._told.drop(turn_id)
            self._growing.setdefault(turn_id, last)
            self._tell_soon()

    def _tell_soon(self) -> None:
        self._task = self._task or asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._growing or self._asked:
            for turn in tuple(self._growing):
                if event := self._growing.pop(turn, None):
                    await self._tell_one(event)
            while self._asked:
                with suppress(StoreUnavailable):  # the next growth is asked about again
                    await self._news.publish(_WHOLE, self._asked.pop())
            await asyncio.sleep(_PAUSE)
        self._task = None

    async def _tell_one(self, event: EntryShown) -> None:
        growth = self._told.growth(event)
        self._told.put(event)
        try:
            if growth is None:
                await self._news.publish(_TOPIC, _EVENT.dump_json(event).decode())
            else:
                await self._news.publish(_GROWTH, _GREW.dump_json(growth).decode())
        except StoreUnavailable:
            self._told.drop(event.entry.id)  # the next one is told as a whole


@dataclass(frozen=True, slots=True)
class _Hearing:
    """Calls `on_message`. A gap shows by itself: what comes next fits nothing."""

    on_message: Callable[[str], None]

    def on_gap(self) -> None:
        """Do nothing."""
