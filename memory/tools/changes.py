"""What tools changed in a turn, by fact ids, until its person is told below the answer.

A change is noted before it is made, by a digest of its text, so that a crash between the two hides none.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from parley.core.model.codec import decode, encode
from parley.core.model.errors import ParleyError
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.ports.memory.tools import ToolChange, ToolChangeKind, ToolRefused

_PREFIX = "tool-changes/"
_MOST = 20


@dataclass(frozen=True, slots=True)
class _TurnChanges:
    changes: tuple[ToolChange, ...] = ()


class ToolChanges:
    """Changes by turn; no words of a fact are in it. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    @asynccontextmanager
    async def planned(
        self, turn: str, kind: ToolChangeKind, content: str
    ) -> AsyncIterator[Callable[[str], None]]:
        """Note a change while it is made; what is yielded takes the id of its fact.

        The note is taken back if it fails. Raises ToolRefused where the turn has too many already.
        """
        plan, made = ToolChange(kind, planned_key(content)), list[str]()
        await self.note(turn, plan)
        try:
            yield made.append
        except ParleyError:
            await self._replace(turn, plan, ())
            raise
        await self._replace(turn, plan, tuple(ToolChange(kind, fact) for fact in made))

    async def note(self, turn: str, change: ToolChange) -> None:
        """Keep a change, once. Raises ToolRefused where the turn has too many already."""
        bare = replace(change, content="")

        def changed(document: Document) -> tuple[bool, str | None]:
            known = _read(document).changes
            if bare in known:
                return True, None
            if len(known) >= _MOST:
                return False, None
            return True, encode(_TurnChanges((*known, bare)))

        if not await update_document(self._documents, _PREFIX + turn, changed):
            raise ToolRefused("That is enough for one turn.")

    async def _replace(self, turn: str, plan: ToolChange, changes: Sequence[ToolChange]) -> None:
        def changed(document: Document) -> tuple[None, str | None]:
            others = (each for each in _read(document).changes if each != plan)
            return None, encode(_TurnChanges(tuple(dict.fromkeys((*others, *changes)))))

        await update_document(self._documents, _PREFIX + turn, changed)

    async def take(self, turn: str) -> Sequence[ToolChange]:
        """Return the changes of a turn that is over, which are told now."""
        document = await self._documents.get(_PREFIX + turn)
        if document.body:
            await self._documents.delete(document.key)
        return _read(document).changes


def planned_key(content: str) -> str:
    """Return what stands for the id of a fact that is not written yet."""
    return f"planned/{hashlib.sha256(' '.join(content.split()).encode()).hexdigest()}"


def _read(document: Document) -> _TurnChanges:
    return decode(_TurnChanges, document.body) if document.body else _TurnChanges()
