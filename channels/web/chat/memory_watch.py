"""Tells the pages that the memory of their person changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from parley.channels.web.chat.event_log import MemoryChanged
from parley.core.model.address import User
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.memory.changes import ANYBODY
from parley.core.state.people import PersonRepository

_PAUSE = 0.3
"""Seconds between two looks at whose memory changed: a lesson changes it several times."""


class MemoryWatch:
    """Hears of everybody's changes, and calls `show` for those of one account's person."""

    def __init__(
        self, people: PersonRepository, account: User, show: Callable[[MemoryChanged], None]
    ) -> None:
        self._people = people
        self._account = account
        self._show = show
        self._changed: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def on_change(self, person: str) -> None:
        """Note whose memory changed; the pages hear of it soon."""
        self._changed.add(person)
        self._task = self._task or asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        while self._changed:
            changed, self._changed = self._changed, set()
            with suppress(StoreUnavailable):
                own = await self._people.person_of(self._account)
                if not changed.isdisjoint((own, ANYBODY)):
                    self._show(MemoryChanged())
            await asyncio.sleep(_PAUSE)
        self._task = None
