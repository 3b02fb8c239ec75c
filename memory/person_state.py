"""Per-person state beside the memory: which assistants keep their own, and the last clear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, update_document

_PREFIX = "memory-person/"


@dataclass(frozen=True, slots=True)
class PersonState:
    """State of a person. `cleared_at` is in Unix seconds: what was said before is not learned any more.

    `informed` says that they were told that they are remembered, `upkeep_at` when their memory was last
    looked after, and `asked_at` when they were last asked whether something still holds.
    """

    assistants: tuple[str, ...] = ()
    cleared_at: float = 0.0
    informed: bool = False
    upkeep_at: float = 0.0
    asked_at: float = 0.0


class PersonStateStore:
    """States by person. Every method raises StoreUnavailable."""

    def __init__(self, documents: DocumentRepository) -> None:
        self._documents = documents

    async def get(self, person: str) -> PersonState:
        """Return a person's state."""
        return (await self.get_fenced(person))[0]

    async def get_fenced(self, person: str) -> tuple[PersonState, Document]:
        """Return a person's state, and the document that keeps it as it is: a transaction that writes it
        fails where the state has changed.
        """
        document = await self._documents.get(_PREFIX + person)
        state = _read(document)
        return state, replace(document, body=encode(state))

    async def note_assistant(self, person: str, assistant: str) -> None:
        """Record that an assistant has a memory of its own of this person."""
        await self._change(
            person,
            lambda entry: replace(entry, assistants=tuple(dict.fromkeys((*entry.assistants, assistant)))),
        )

    async def note_cleared(self, person: str, at: float) -> None:
        """Record that everything was cleared at `at`."""
        await self._change(person, lambda entry: replace(entry, cleared_at=max(at, entry.cleared_at)))

    async def note_informed(self, person: str) -> None:
        """Record that a person was told that they are remembered."""
        await self._change(person, lambda entry: replace(entry, informed=True))

    async def note_upkeep(self, person: str, at: float) -> None:
        """Record that a memory was looked after at `at`."""
        await self._change(person, lambda entry: replace(entry, upkeep_at=at))

    async def note_asked(self, person: str, at: float) -> None:
        """Record that a person was asked at `at` whether something still holds."""
        await self._change(person, lambda entry: replace(entry, asked_at=at))

    async def _change(self, person: str, change: Callable[[PersonState], PersonState]) -> None:
        def changed(document: Document) -> tuple[None, str | None]:
            entry = _read(document)
            after = change(entry)
            return None, None if after == entry else encode(after)

        await update_document(self._documents, _PREFIX + person, changed)


def _read(document: Document) -> PersonState:
    return decode(PersonState, document.body) if document.body else PersonState()
