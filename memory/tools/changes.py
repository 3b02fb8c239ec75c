"""What tools changed in a turn, by fact ids, until its person is told below the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.ports.memory.tools import ToolChange

_PREFIX = "tool-changes/"
_MOST = 20


@dataclass(frozen=True, slots=True)
class _TurnChanges:
    changes: tuple[ToolChange, ...] = ()


class ToolChanges:
    """Changes by turn; no words of a fact are in it. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    async def note(self, turn: str, change: ToolChange) -> bool:
        """Keep a change, once; False where the turn has too many already."""
        bare = replace(change, content="")

        def changed(document: Document) -> tuple[bool, str | None]:
            known = _read(document).changes
            if bare in known:
                return True, None
            if len(known) >= _MOST:
                return False, None
            return True, encode(_TurnChanges((*known, bare)))

        return await update_document(self._documents, _PREFIX + turn, changed)

    async def take(self, turn: str) -> Sequence[ToolChange]:
        """Return the changes of a turn that is over, which are told now."""
        document = await self._documents.get(_PREFIX + turn)
        if document.body:
            await self._documents.delete(document.key)
        return _read(document).changes


def _read(document: Document) -> _TurnChanges:
    return decode(_TurnChanges, document.body) if document.body else _TurnChanges()
