"""Notices to a person below an answer: a memory that cannot be read, secrets that are not remembered."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from parley.core.model.errors import MemoryFailed
from parley.core.ports.memory import MemoryNotices
from parley.memory.model.document import StoredMemory
from parley.memory.storage.port import MemoryStore
from parley.memory.text.secrets import mask_secrets

_A_DAY = 86_400.0
_MOST_PEOPLE = 10_000


class PersonNotices:
    """Says what a person should know, a damaged memory once a day."""

    def __init__(self, store: MemoryStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._told: OrderedDict[str, float] = OrderedDict()

    async def below_answer(self, person: str, said: str) -> MemoryNotices:
        """Return the notices below the answer to these words; none where memory is off or out of reach."""
        try:
            stored = await self._store.load(person)
        except MemoryFailed:
            return MemoryNotices()
        if stored.notes.off:
            return MemoryNotices()
        return MemoryNotices(self._damaged(person, stored), mask_secrets(said).count)

    def _damaged(self, person: str, stored: StoredMemory) -> str:
        now = self._clock()
        if not stored.damaged or now - self._told.get(person, -_A_DAY) < _A_DAY:
            return ""
        self._told[person] = now
        self._told.move_to_end(person)
        if len(self._told) > _MOST_PEOPLE:
            self._told.popitem(last=False)
        return stored.damaged
