"""Learning pipeline of one person's turns: filter, extract, apply and save."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from parley.core.model.errors import DocumentConflict, MemoryDamaged, MemoryFailed
from parley.core.model.types import CompletedTurn
from parley.core.ports.journal import pause_after_conflict
from parley.memory.cache import CachedMemory, MemoryCache
from parley.memory.learning.apply_diff import DiffContext, apply_diff
from parley.memory.learning.extraction.diff import Diff
from parley.memory.learning.extraction.extractor import Extractor, chunk_turns
from parley.memory.learning.extraction.turn_filter import LearnableTurns, select_learnable
from parley.memory.learning.screening import ScreenedDiff, screen_diff
from parley.memory.model.document import MemoryDocument, Notes, StoredMemory
from parley.memory.model.timestamps import format_timestamp
from parley.memory.options import MemoryOptions
from parley.memory.person_state import PersonStateStore
from parley.memory.text.token_counting import Counter

log = logging.getLogger(__name__)

_TRIES = 16
_LAST_TURNS = 5_000


class LearningPipeline:
    """Implements the Learner of memory/learning/worker.py."""

    def __init__(
        self,
        cache: MemoryCache,
        states: PersonStateStore,
        extractor: Extractor,
        counter: Counter,
        options: MemoryOptions,
        clock: Callable[[], float],
    ) -> None:
        self._cache = cache
        self._states = states
        self._extractor = extractor
        self._counter = counter
        self._options = options
        self._clock = clock
        # The last turn of each conversation: a bare "yes" in the next lesson may answer its question.
        self._last: OrderedDict[tuple[str, str], CompletedTurn] = OrderedDict()

    async def learn(self, person: str, assistant: str, turns: Sequence[CompletedTurn]) -> None:
        """Learn from turns in their order, chunk by chunk; each chunk is done once it is saved.

        Nothing is learned of what was said before the last clear, or while memory is switched off.
        Raises MemoryDamaged, MemoryFailed, StoreUnavailable.
        """
        stored, cleared_at = await self._begin(person, assistant)
        fresh = [turn for turn in unlearned_turns(stored.notes, turns) if turn.at > cleared_at]
        earlier = [*self._before(person, turns)]
        for part in await self._cache.run_in_thread(partial(self._chunks, fresh)):
            if await self._is_off(person):
                return
            lesson = await self._cache.run_in_thread(partial(self._material, person, part, tuple(earlier)))
            if lesson and not await self._learned(assistant, stored.notes.generation, lesson, part):
                return
            earlier += part
            self._note(person, part)

    async def _begin(self, person: str, assistant: str) -> tuple[StoredMemory, float]:
        """Return the memory, and when the person last cleared it."""
        entry = await self._states.get(person)
        if assistant and assistant not in entry.assistants:
            await self._states.note_assistant(person, assistant)
        stored = await self._cache.load(person, assistant)
        if stored.damaged:
            raise MemoryDamaged(stored.damaged)
        return stored, entry.cleared_at

    def _chunks(self, turns: Sequence[CompletedTurn]) -> list[tuple[CompletedTurn, ...]]:
        return list(chunk_turns(turns, self._counter.count, self._options.chunk_tokens))

    def _material(
        self, person: str, part: Sequence[CompletedTurn], earlier: Sequence[CompletedTurn]
    ) -> LearnableTurns:
        return select_learnable(person, part, groups=self._options.groups, earlier=earlier)

    async def _learned(
        self, assistant: str, generation: int, lesson: LearnableTurns, part: Sequence[CompletedTurn]
    ) -> bool:
        """Extract and save once; return False when the memory was cleared or switched off meanwhile."""
        known = await self._cache.load_cached(lesson.person, assistant)
        diff = await self._extractor.extract(lesson, known.stored.document, known, self._clock())
        document = known.stored.document
        screened = await self._cache.run_in_thread(
            partial(_screened, diff, lesson, document, instructions=self._options.instructions)
        )
        context = DiffContext(
            now=format_timestamp(self._clock()),
            turns=lesson.turns,
            generation=generation,
            watermarks={turn.thread: turn.id for turn in part},
            kept_out=screened.kept_out,
        )
        return await self._save(lesson.person, assistant, screened.diff, context)

    async def _save(self, person: str, assistant: str, diff: Diff, context: DiffContext) -> bool:
        """Apply to what is stored now, keeping concurrent changes. Raises MemoryFailed."""
        for attempt in range(_TRIES):
            known = None if assistant else await self._cache.load_cached(person)
            stored = known.stored if known else await self._cache.load(person, assistant)
            changed = await self._cache.run_in_thread(
                partial(_applied, known, stored, diff, context, self._options)
            )
            if changed is stored or await self._is_off(person):
                return False
            try:
                saved = await self._cache.save(person, changed, assistant)
            except DocumentConflict:
                log.info("person %s: the memory changed while something was learned; once more", person)
                await pause_after_conflict(attempt)
                continue
            if known is not None:  # so that the next run does not wait for it
                await self._cache.run_in_thread(partial(known.prepare, saved, self._counter))
            return True
        raise MemoryFailed("The memory changed again and again while something was learned.")

    async def _is_off(self, person: str) -> bool:
        return (await self._cache.load(person)).notes.off

    def _before(self, person: str, turns: Sequence[CompletedTurn]) -> list[CompletedTurn]:
        threads = dict.fromkeys(turn.thread for turn in turns)
        found = (self._last.get((person, thread)) for thread in threads)
        return [turn for turn in found if turn is not None]

    def _note(self, person: str, part: Sequence[CompletedTurn]) -> None:
        for turn in part:
            self._last[person, turn.thread] = turn
            self._last.move_to_end((person, turn.thread))
        while len(self._last) > _LAST_TURNS:
            self._last.popitem(last=False)


def _screened(
    diff: Diff, lesson: LearnableTurns, document: MemoryDocument, *, instructions: bool
) -> ScreenedDiff:
    known = [fact.content for fact in document.facts]
    return screen_diff(diff, lesson.turns, known, instructions=instructions)


def _applied(
    known: CachedMemory | None, stored: StoredMemory, diff: Diff, context: DiffContext, options: MemoryOptions
) -> StoredMemory:
    """Apply the diff; `known` is None for an assistant's memory: its cached index has general facts too."""
    if known is None:
        return apply_diff(stored, diff, context, options)
    return known.with_index(stored, lambda index: apply_diff(stored, diff, context, options, index))


def unlearned_turns(notes: Notes, turns: Sequence[CompletedTurn]) -> list[CompletedTurn]:
    """Return the turns after the watermark of their thread; all where its turn is not among them."""
    places = {turn.id: place for place, turn in enumerate(turns)}
    learned = {thread: places[turn] for thread, turn in notes.watermarks.items() if turn in places}
    return [turn for place, turn in enumerate(turns) if place > learned.get(turn.thread, -1)]
