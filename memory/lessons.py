"""Learning from one person's turns: read what is new, propose a change, apply it, save it."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from parley.core.errors import DocumentConflict, MemoryFailed
from parley.core.types import Turn
from parley.memory.apply import Context, apply
from parley.memory.diff import Diff
from parley.memory.document import Notes, Stored
from parley.memory.extract import Extractor, chunks
from parley.memory.filter import Material, material
from parley.memory.options import MemoryOptions
from parley.memory.recent import People, Recollection
from parley.memory.register import Register
from parley.memory.times import iso
from parley.memory.tokens import Counter

log = logging.getLogger(__name__)

_TRIES = 5
_LAST_TURNS = 5_000


class Lessons:
    """The Learner of memory/worker.py."""

    def __init__(
        self,
        people: People,
        register: Register,
        extractor: Extractor,
        counter: Counter,
        options: MemoryOptions,
        clock: Callable[[], float],
    ) -> None:
        self._people = people
        self._register = register
        self._extractor = extractor
        self._counter = counter
        self._options = options
        self._clock = clock
        # The last turn of each conversation: a bare "yes" in the next lesson may answer its question.
        self._last: OrderedDict[tuple[str, str], Turn] = OrderedDict()

    async def learn(self, person: str, assistant: str, turns: Sequence[Turn]) -> None:
        """Learn from turns in their order, a chunk at a time; each chunk is done with once it is saved.

        Nothing is learned of what was said before the last clear, or while memory is switched off.
        Raises MemoryFailed, StoreUnavailable.
        """
        stored, cleared_at = await self._begin(person, assistant)
        fresh = [turn for turn in unlearned(stored.notes, turns) if turn.at > cleared_at]
        earlier = [*self._before(person, turns)]
        for part in await self._people.think(partial(self._chunks, fresh)):
            if await self._is_off(person):
                return
            lesson = await self._people.think(partial(self._material, person, part, tuple(earlier)))
            if lesson and not await self._learned(assistant, stored.notes.generation, lesson, part):
                return
            earlier += part
            self._note(person, part)

    async def _begin(self, person: str, assistant: str) -> tuple[Stored, float]:
        """The memory, and when the person last cleared it."""
        entry = await self._register.of(person)
        if assistant and assistant not in entry.assistants:
            await self._register.note_assistant(person, assistant)
        return await self._people.load(person, assistant), entry.cleared_at

    def _chunks(self, turns: Sequence[Turn]) -> list[tuple[Turn, ...]]:
        return list(chunks(turns, self._counter.count, self._options.chunk_tokens))

    def _material(self, person: str, part: Sequence[Turn], earlier: Sequence[Turn]) -> Material:
        return material(person, part, groups=self._options.groups, earlier=earlier)

    async def _learned(self, assistant: str, generation: int, lesson: Material, part: Sequence[Turn]) -> bool:
        """One extraction, saved; False when the memory was cleared or switched off meanwhile."""
        known = await self._people.recollect(lesson.person, assistant)
        diff = await self._extractor.extract(lesson, known.stored.document, known, self._clock())
        context = Context(
            now=iso(self._clock()),
            turns=lesson.turns,
            generation=generation,
            watermarks={turn.thread: turn.id for turn in part},
        )
        return await self._save(lesson.person, assistant, diff, context)

    async def _save(self, person: str, assistant: str, diff: Diff, context: Context) -> bool:
        """Apply to what is stored now; whatever changed it meanwhile stays. Raises MemoryFailed."""
        for _ in range(_TRIES):
            known = None if assistant else await self._people.recollect(person)
            stored = known.stored if known else await self._people.load(person, assistant)
            changed = await self._people.think(partial(_applied, known, stored, diff, context, self._options))
            if changed is stored or await self._is_off(person):
                return False
            try:
                saved = await self._people.save(person, changed, assistant)
            except DocumentConflict:
                log.info("person %s: the memory changed while something was learned; once more", person)
                continue
            if known is not None:  # so that the next run need not wait for it
                await self._people.think(partial(known.prepare, saved, self._counter))
            return True
        raise MemoryFailed("The memory changed again and again while something was learned.")

    async def _is_off(self, person: str) -> bool:
        return (await self._people.load(person)).notes.off

    def _before(self, person: str, turns: Sequence[Turn]) -> list[Turn]:
        threads = dict.fromkeys(turn.thread for turn in turns)
        found = (self._last.get((person, thread)) for thread in threads)
        return [turn for turn in found if turn is not None]

    def _note(self, person: str, part: Sequence[Turn]) -> None:
        for turn in part:
            self._last[person, turn.thread] = turn
            self._last.move_to_end((person, turn.thread))
        while len(self._last) > _LAST_TURNS:
            self._last.popitem(last=False)


def _applied(
    known: Recollection | None, stored: Stored, diff: Diff, context: Context, options: MemoryOptions
) -> Stored:
    """Without an index for an assistant's own memory: the one at hand knows the facts for all, too."""
    if known is None:
        return apply(stored, diff, context, options)
    return known.use(stored, lambda index: apply(stored, diff, context, options, index))


def unlearned(notes: Notes, turns: Sequence[Turn]) -> list[Turn]:
    """The turns behind the watermark of their thread; all of them where its turn is not among them."""
    places = {turn.id: place for place, turn in enumerate(turns)}
    learned = {thread: places[turn] for thread, turn in notes.watermarks.items() if turn in places}
    return [turn for place, turn in enumerate(turns) if place > learned.get(turn.thread, -1)]
