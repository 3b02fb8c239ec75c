"""Migration of memories from other layouts: idempotent, and read-only at the source."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from parley.core.model.errors import DocumentConflict
from parley.memory.edits.masking import mask_document
from parley.memory.edits.operations import merge
from parley.memory.migration.legacy_layouts import LegacyMemory, as_general_memory, find_legacy_memories
from parley.memory.model.document import StoredMemory
from parley.memory.storage.port import MemoryStore


@dataclass(frozen=True, slots=True)
class MigrationOptions:
    """Options of a migration.

    `person` gets what was one memory for everybody; `renamed` gives persons other ids. `most` is the cap of
    facts. Without `per_assistant` the memories of all assistants become one. `now` is ISO 8601 in UTC.
    """

    now: str
    most: int
    person: str = "default"
    per_assistant: bool = False
    dry_run: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MigratedMemory:
    """The result for one source: facts added, known already, and dropped above the cap."""

    source: LegacyMemory
    added: int
    known: int
    left_out: int
    summaries: int


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """What was migrated, or would be."""

    taken: tuple[MigratedMemory, ...]
    dry_run: bool

    def lines(self) -> Iterator[str]:
        """Yield the report as lines for an operator."""
        for one in self.taken:
            source = one.source
            whose = source.person + (f" with {source.assistant}" if source.assistant else "")
            yield (
                f"{source.path}: to {whose}: {one.added} facts {'would be ' if self.dry_run else ''}added, "
                f"{one.known} known already, {one.left_out} left out (more than memory.max_facts), "
                f"{one.summaries} summaries, {len(source.unreadable)} unreadable"
            )
            yield from (f"  cannot be read: {entry[:200]}" for entry in source.unreadable)
        persons = len({one.source.person for one in self.taken})
        added = sum(one.added for one in self.taken)
        if self.dry_run:
            yield f"Nothing was changed. Without --dry-run {added} facts of {persons} persons are taken over."
        else:
            yield f"Done: {added} facts of {persons} persons were taken over."


async def migrate(base: Path, store: MemoryStore, wishes: MigrationOptions) -> MigrationReport:
    """Merge every memory at `base` into the person's in `store`. Raises MemoryFailed.

    A fact that is known already is confirmed, and one that the person had forgotten here stays forgotten.
    """
    sources = await asyncio.to_thread(find_legacy_memories, base, wishes.person)
    planned: dict[tuple[str, str], StoredMemory] = {}
    taken = []
    for found in sources:
        source = replace(found, person=wishes.renamed.get(found.person, found.person))
        if not wishes.per_assistant:
            source = as_general_memory(source)
        key = (source.person, source.assistant)
        while True:
            stored = planned.get(key) or await store.load(*key)
            changed, one = plan_migration(source, stored, wishes)
            if not wishes.dry_run and changed is not stored:
                try:
                    changed = await store.save(source.person, changed, source.assistant)
                except DocumentConflict:
                    planned.pop(key, None)
                    continue
            planned[key] = changed
            taken.append(one)
            break
    return MigrationReport(tuple(taken), wishes.dry_run)


def plan_migration(
    source: LegacyMemory, stored: StoredMemory, wishes: MigrationOptions
) -> tuple[StoredMemory, MigratedMemory]:
    """Return the memory with the source's merged, and the counts; the same memory when nothing is new."""
    joined = merge(StoredMemory(mask_document(source.document)), stored, wishes.now, wishes.most)
    old, new = stored.document, joined.into.document
    changed = joined.into if (new.facts, new.summaries) != (old.facts, old.summaries) else stored
    added, known = joined.merged.added, joined.merged.known
    texts = [each.text != old.summaries.get(name).text for name, each in new.summaries.named()]
    taken = MigratedMemory(source, added, known, len(source.document.facts) - added - known, sum(texts))
    return changed, taken
