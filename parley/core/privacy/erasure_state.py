"""An erasure under way, on disk: what a second call needs to go on where a crash ended the first."""

from __future__ import annotations

from dataclasses import dataclass

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import DocumentRepository, iter_documents, update_document
from parley.core.privacy.data_subject import DataSubject
from parley.core.privacy.report import DataCount, DataKind

ERASURE_PREFIX = "erasure/"


@dataclass(frozen=True, slots=True)
class ErasureState:
    """Whose, since when (Unix seconds), what was erased so far, and which conversations are theirs alone or
    shared with others: their messages, which told so, may be gone already.
    """

    person: str
    accounts: tuple[str, ...]
    begun: float
    done: tuple[DataCount, ...] = ()
    private: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def subject(self) -> DataSubject:
        return DataSubject(self.person, self.accounts)

    def counts(self) -> dict[DataKind, int]:
        """Return what was erased so far, by kind."""
        return {count.kind: count.number for count in self.done}


async def find_erasure_state(documents: DocumentRepository, name: str) -> ErasureState | None:
    """Return the erasure that was begun of the person with this name or account. Raises StoreUnavailable."""
    async for document in iter_documents(documents, ERASURE_PREFIX):
        plan = decode(ErasureState, document.body)
        if name == plan.person or name in plan.accounts:
            return plan
    return None


async def save_erasure_state(documents: DocumentRepository, plan: ErasureState) -> None:
    """Durable on return. Raises StoreUnavailable."""
    await update_document(documents, ERASURE_PREFIX + plan.person, lambda _: (None, encode(plan)))


async def delete_erasure_state(documents: DocumentRepository, plan: ErasureState) -> None:
    """Delete the state of an erasure that is over. Raises StoreUnavailable."""
    await documents.delete(ERASURE_PREFIX + plan.person)
