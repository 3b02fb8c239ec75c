"""Notices to a person below an answer: that they are remembered, secrets that are not, a damaged memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.ports.memory.port import MOST_INSTRUCTIONS, MemoryNotices
from parley.memory.edits.similarity import comparison_key
from parley.memory.model.document import Category, StoredMemory
from parley.memory.person_state import PersonStateStore
from parley.memory.storage.port import MemoryStore
from parley.memory.text.instructions import standing_instructions
from parley.memory.text.secrets.masking import mask_secrets
from parley.memory.text.smalltalk import says_nothing

_A_DAY = 86_400.0
_MOST_PEOPLE = 10_000


class PersonNotices:
    """Says what a person should know: once that they are remembered, a damaged memory once a day."""

    def __init__(self, store: MemoryStore, states: PersonStateStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._states = states
        self._clock = clock
        self._informed: OrderedDict[str, None] = OrderedDict()
        self._told: OrderedDict[str, float] = OrderedDict()

    async def below_answer(
        self, person: str, said: str, *, tells: bool, instructions: bool = True
    ) -> MemoryNotices:
        """Return the notices below the answer to these words; none where memory is off or out of reach.

        With `tells` that they are remembered is among them, once; with `instructions` that there are more
        standing instructions than an agent is told, where the words give one.
        """
        try:
            stored = await self._store.load(person)
        except (MemoryFailed, StoreUnavailable):
            return MemoryNotices()
        if stored.notes.off:
            return MemoryNotices()
        first = tells and not stored.damaged and await self._is_first(person, said)
        return MemoryNotices(
            self._damaged(person, stored),
            mask_secrets(said).count,
            first,
            instructions=_too_many(stored, said) if instructions else 0,
        )

    async def _is_first(self, person: str, said: str) -> bool:
        """Return whether this is the first that is learned from a person in private, and note that they know.

        Small talk is not learned from.
        """
        if person in self._informed or not said.strip() or says_nothing(said):
            return False
        try:
            known = (await self._states.get(person)).informed
            if not known:
                await self._states.note_informed(person)
        except StoreUnavailable:
            return False
        self._informed[person] = None
        if len(self._informed) > _MOST_PEOPLE:
            self._informed.popitem(last=False)
        return not known

    def _damaged(self, person: str, stored: StoredMemory) -> str:
        now = self._clock()
        if not stored.damaged or now - self._told.get(person, -_A_DAY) < _A_DAY:
            return ""
        self._told[person] = now
        self._told.move_to_end(person)
        if len(self._told) > _MOST_PEOPLE:
            self._told.popitem(last=False)
        return stored.damaged


def _too_many(stored: StoredMemory, said: str) -> int:
    """Return how many standing instructions there are with those of a message, if more than are told."""
    new = {comparison_key(sentence) for sentence in standing_instructions(said)}
    if not new:
        return 0
    known = {
        comparison_key(fact.content)
        for fact in stored.document.facts
        if fact.category == Category.INSTRUCTION and not fact.until
    }
    count = len(known | new)
    return count if count > MOST_INSTRUCTIONS else 0
