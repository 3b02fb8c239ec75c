"""Repository of a person's memories: applies the pure changes of `memory/edits/operations.py`, and saves."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from parley.core.model.errors import DocumentConflict, MemoryDamaged, MemoryFailed
from parley.core.ports.journal import pause_after_conflict
from parley.core.ports.memory.admin import FactChange, InvalidMemory
from parley.core.ports.memory.port import NO_ORIGIN, AccountUnlink, FactOrigin, MergeOutcome, UndoResult
from parley.memory.cache import MemoryCache
from parley.memory.edits import account_split, operations
from parley.memory.edits.eviction import evict
from parley.memory.edits.history import replace_document
from parley.memory.edits.masking import mask_document
from parley.memory.model.document import (
    Category,
    Fact,
    StoredMemory,
    clear,
    combine_documents,
)
from parley.memory.options import MemoryOptions
from parley.memory.person_state import PersonStateStore
from parley.memory.storage.document_format import read_document

Result = TypeVar("Result")

_TRIES = 16
_ANYTHING = 50


class MemoryRepository:
    """All memories of a person: the general one ("") and, where there are some, those of assistants.

    Every method raises MemoryFailed, StoreUnavailable; those that change a memory also MemoryDamaged.
    `now` is ISO 8601 in UTC.
    """

    def __init__(self, cache: MemoryCache, states: PersonStateStore, options: MemoryOptions) -> None:
        self._cache = cache
        self._states = states
        self._most, self._vocabulary = options.max_facts, options.vocabulary

    async def load_merged(self, person: str) -> StoredMemory:
        """Return everything as one memory; whether it is off is that of the general one."""
        first, *others = [await self._cache.load(person, assistant) for assistant in await self._all(person)]
        if not others:
            return first
        damaged = next((each.damaged for each in (first, *others) if each.damaged), "")
        return StoredMemory(
            combine_documents([first.document, *(each.document for each in others)]),
            first.notes,
            damaged=damaged,
        )

    async def facts(self, person: str, assistant: str | None = None) -> tuple[Fact, ...]:
        """Return all facts of a person, or those that an assistant knows."""
        if assistant is None:
            return (await self.load_merged(person)).document.facts
        return (await self._cache.load_cached(person, assistant)).stored.document.facts

    async def search(self, person: str, words: str) -> list[Fact]:
        """Return the facts that are about these words, best first, then those in which they stand."""
        found: list[tuple[Fact, float]] = []
        for assistant in await self._all(person):
            known = await self._cache.load_cached(person, assistant)
            found += await known.with_index_async(
                known.stored, lambda index: index.find_about(words, _ANYTHING)
            )
        best = [fact for fact, _ in sorted(found, key=lambda each: -each[1])]
        written = await asyncio.to_thread(_holding, (await self.load_merged(person)).document.facts, words)
        return list({fact.id: fact for fact in (*best, *written)}.values())[:_ANYTHING]

    async def add(
        self,
        person: str,
        content: str,
        now: str,
        category: str = Category.CONTEXT,
        account: str = "",
        origin: FactOrigin = NO_ORIGIN,
        *,
        shared: bool = False,
    ) -> Fact:
        """Add a fact that the person dictates, from `account`; return the known one if there is one.

        `shared` says that others heard it.
        """

        known = await self._cache.load_cached(person)

        def work(stored: StoredMemory) -> tuple[StoredMemory, Fact]:
            added = known.with_index(
                stored,
                lambda index: operations.add(
                    stored,
                    content,
                    now,
                    self._most,
                    shared=shared,
                    category=category,
                    index=index,
                    account=account,
                    origin=origin,
                    vocabulary=self._vocabulary,
                ),
            )
            if added.fact is None:
                raise MemoryFailed("There is nothing to remember in that.")
            return added.stored, added.fact

        return await self.change(person, "", work)

    async def edit(self, person: str, fact_id: str, change: FactChange, now: str) -> Fact | None:
        """Edit a fact by hand; None when there is none of this id, or its new text is blank."""

        def work(stored: StoredMemory) -> tuple[StoredMemory, Fact | None]:
            edited = operations.edit(stored, fact_id, change, now, self._vocabulary)
            return edited.stored, edited.fact

        for assistant in await self._all(person):
            fact = await self.change(person, assistant, work)
            if fact is not None:
                return fact
        return None

    async def forget(self, person: str, words: str, now: str) -> tuple[Fact, ...]:
        """Remove the facts that these words name, from all memories."""

        def work(stored: StoredMemory) -> tuple[StoredMemory, tuple[Fact, ...]]:
            forgotten = operations.forget(stored, words, now)
            return forgotten.stored, forgotten.gone

        gone: list[Fact] = []
        for assistant in await self._all(person):
            gone += await self.change(person, assistant, work)
        return tuple(gone)

    async def forgettable(self, person: str, words: str) -> tuple[Fact, ...]:
        """Return what `forget` would remove."""
        found: list[Fact] = []
        for assistant in await self._all(person):
            found += operations.forgettable((await self._cache.load(person, assistant)).document, words)
        return tuple(found)

    async def undo(self, person: str, now: str) -> UndoResult:
        """Undo the last change, unless it was a forgetting."""
        changed: list[tuple[str, str]] = []
        for assistant in await self._all(person):
            stored = await self._cache.load(person, assistant)
            if stored.notes.past or stored.notes.forgot:
                changed.append((stored.document.updated_at, assistant))
        if not changed:
            return UndoResult.NOTHING

        def work(stored: StoredMemory) -> tuple[StoredMemory, UndoResult]:
            before = operations.undo(stored, now)
            if before is None:
                return stored, UndoResult.FORGOTTEN if stored.notes.forgot else UndoResult.NOTHING
            return before, UndoResult.DONE

        return await self.change(person, max(changed)[1], work)

    async def switch(self, person: str, *, on: bool) -> None:
        """Switch learning and recall on or off."""
        await self.change(person, "", lambda stored: (operations.switch(stored, on), None))

    async def replace(self, person: str, text: str, now: str) -> int:
        """Replace the general memory by a document of schema 1.0; return its number of facts."""
        try:
            read = await asyncio.to_thread(read_document, text)
        except ValueError as error:
            raise InvalidMemory(f"This is not a memory: {error}.") from error
        if not read.document.facts and read.rejected:
            raise InvalidMemory("There is no fact that can be read in this memory.")

        def work(stored: StoredMemory) -> tuple[StoredMemory, int]:
            document = mask_document(read.document)
            document = replace(document, facts=evict(document.facts, self._most))
            return replace_document(stored, document, now), len(document.facts)

        return await self.change(person, "", work)

    async def merge(self, source: str, into: str, now: str, account: str = "") -> MergeOutcome:
        """Merge one person's memories into another's; the first has none afterwards.

        `account` is the one after which the source is named.
        """
        added = known = 0
        for assistant in await self._all(source):
            if assistant:
                await self._states.note_assistant(into, assistant)
            merged = await self._move(
                source, into, assistant, now, lambda stored: (stored, clear(stored)), account
            )
            added, known = added + merged.added, known + merged.known
        return MergeOutcome(added, known)

    async def split_account(self, source: str, into: str, unlink: AccountUnlink, now: str) -> int:
        """Move what came from an account to another person; return the number of facts."""

        def split(stored: StoredMemory) -> tuple[StoredMemory, StoredMemory]:
            parted = account_split.split_account(stored, unlink.account, now, named=unlink.named)
            return parted.taken, parted.left

        given = 0
        for assistant in await self._all(source):
            if assistant:
                await self._states.note_assistant(into, assistant)
            merged = await self._move(source, into, assistant, now, split)
            given += merged.added + merged.known
        return given

    async def _move(
        self,
        source: str,
        into: str,
        assistant: str,
        now: str,
        split: Callable[[StoredMemory], tuple[StoredMemory, StoredMemory]],
        account: str = "",
    ) -> MergeOutcome:
        """Move part of a memory from one person to another: `split` returns what goes, and what stays.

        The target is saved before the source: a crash in between leaves the facts in both.
        """

        def work(joined_from: StoredMemory) -> Callable[[StoredMemory], tuple[StoredMemory, MergeOutcome]]:
            def join(stored: StoredMemory) -> tuple[StoredMemory, MergeOutcome]:
                joined = operations.merge(joined_from, stored, now, self._most, account)
                return joined.into, joined.merged

            return join

        merged = MergeOutcome(0, 0)
        for attempt in range(_TRIES):
            stored = await self._cache.load(source, assistant)
            goes, stays = split(stored)
            step = await self.change(into, assistant, work(goes))
            merged = MergeOutcome(merged.added + step.added, merged.known or step.known)
            try:
                if stays != stored:
                    await self._cache.save(source, stays, assistant)
            except DocumentConflict:
                await pause_after_conflict(attempt)
                continue
            return merged
        raise MemoryFailed("The memory changed again and again; please try once more.")

    async def _all(self, person: str) -> Sequence[str]:
        return ("", *(await self._states.get(person)).assistants)

    async def change(
        self, person: str, assistant: str, work: Callable[[StoredMemory], tuple[StoredMemory, Result]]
    ) -> Result:
        """Change what is stored now; `work` runs again after each conflict."""
        for attempt in range(_TRIES):
            stored = await self._cache.load(person, assistant)
            if stored.damaged:
                raise MemoryDamaged(stored.damaged)
            changed, result = await self._cache.run_in_thread(partial(work, stored))
            if changed is stored or changed == stored:
                return result
            try:
                await self._cache.save(person, changed, assistant)
            except DocumentConflict:
                await pause_after_conflict(attempt)
                continue
            return result
        raise MemoryFailed("The memory changed again and again; please try once more.")


def _holding(facts: Sequence[Fact], words: str) -> list[Fact]:
    """Return the facts in whose text or category each of the words stands, the newest first."""
    wanted = unicodedata.normalize("NFKC", words).casefold().split()
    texts = (
        (fact, unicodedata.normalize("NFKC", f"{fact.content} {fact.category}").casefold()) for fact in facts
    )
    return [fact for fact, text in texts if wanted and all(word in text for word in wanted)][::-1]
