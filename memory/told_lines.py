"""What the agent was told on each thread, as digests of the lines, so that no fact is kept twice."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextvars import Context
from dataclasses import dataclass
from hashlib import blake2b

from parley.core.model.codec import decode, encode
from parley.core.model.errors import DocumentConflict, StoreUnavailable
from parley.core.ports.journal import Document, DocumentRepository, log_store_failure, update_document

log = logging.getLogger(__name__)

_PREFIX = "memory-told/"
_THREADS = 8
_MOST_PEOPLE = 10_000
# Threads whose lines are kept in memory, some kilobytes each, until what was said there is learned from.
_MOST_TEXTS = 500


@dataclass(frozen=True, slots=True)
class ToldThread:
    """Digests of the lines that were told last on a thread."""

    thread: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _ToldRecord:
    threads: tuple[ToldThread, ...] = ()


class ToldLines:
    """What was told last on the latest threads of each person."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents
        self._lately: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._texts: OrderedDict[tuple[str, str], tuple[str, ...]] = OrderedDict()
        self._writing: set[asyncio.Task[None]] = set()

    def note(self, person: str, thread: str, block: str) -> None:
        """Note what a run is told; written in the background, where it differs from the last time."""
        texts = tuple(line for line in block.splitlines() if line.startswith("- "))
        self._texts[person, thread] = texts
        self._texts.move_to_end((person, thread))
        if len(self._texts) > _MOST_TEXTS:
            self._texts.popitem(last=False)
        lines = tuple(map(line_digest, texts))
        if self._lately.get((person, thread)) == lines:
            return
        self._lately[person, thread] = lines
        if len(self._lately) > _MOST_PEOPLE:
            self._lately.popitem(last=False)
        # Nothing of the turn's: it is written also where the turn's lease ends meanwhile.
        task = asyncio.create_task(self._write(person, ToldThread(thread, lines)), context=Context())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def get(self, person: str, thread: str) -> ToldThread | None:
        """Return what was told on a thread last; None where that is not known. Raises StoreUnavailable."""
        await self._written()
        record = _read(await self._documents.get(_PREFIX + person))
        return next((each for each in record.threads if each.thread == thread), None)

    def latest(self, person: str, thread: str) -> tuple[str, ...]:
        """Return the lines that this process told last on a thread, as long as it has them."""
        return self._texts.get((person, thread), ())

    async def erase(self, person: str) -> None:
        """Erase all of a person. Raises StoreUnavailable."""
        await self._written()
        for key in [key for key in self._lately if key[0] == person]:
            del self._lately[key]
        for key in [key for key in self._texts if key[0] == person]:
            del self._texts[key]
        await self._documents.delete(_PREFIX + person)

    async def _written(self) -> None:
        if self._writing:
            await asyncio.wait(set(self._writing))

    async def _write(self, person: str, told: ToldThread) -> None:
        def changed(document: Document) -> tuple[None, str]:
            others = [each for each in _read(document).threads if each.thread != told.thread]
            return None, encode(_ToldRecord((told, *others[: _THREADS - 1])))

        try:
            await update_document(self._documents, _PREFIX + person, changed)
        except (StoreUnavailable, DocumentConflict) as error:
            self._lately.pop((person, told.thread), None)
            log_store_failure(log.info, "person %s: what the agent was told is not noted: %s", person, error)


def line_digest(line: str) -> str:
    """Return a short digest of a line of a block."""
    return blake2b(line.rstrip("\n").encode("utf-8", "replace"), digest_size=6).hexdigest()


def _read(document: Document) -> _ToldRecord:
    return decode(_ToldRecord, document.body) if document.body else _ToldRecord()
