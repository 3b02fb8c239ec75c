"""An erasure under way, on disk: what a second call needs to go on where a crash ended the first."""

from __future__ import annotations

from dataclasses import dataclass, replace

from parley.core.codec import decode, encode
from parley.core.erasing.report import Count, Kind
from parley.core.erasing.subject import Subject
from parley.core.errors import DocumentConflict
from parley.core.journal import Documents, every

PREFIX = "erasure/"


@dataclass(frozen=True, slots=True)
class Plan:
    """Whose, since when (Unix seconds), what was erased so far, and which conversations are theirs alone or
    shared with others: their messages, which told so, may be gone already.
    """

    person: str
    accounts: tuple[str, ...]
    begun: float
    done: tuple[Count, ...] = ()
    private: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    @property
    def subject(self) -> Subject:
        return Subject(self.person, self.accounts)

    def counts(self) -> dict[Kind, int]:
        """What was erased so far, by kind."""
        return {count.kind: count.number for count in self.done}


async def begun_for(documents: Documents, name: str) -> Plan | None:
    """The erasure that was begun of the person with this name or account. Raises StoreUnavailable."""
    async for document in every(documents, PREFIX):
        plan = decode(Plan, document.body)
        if name == plan.person or name in plan.accounts:
            return plan
    return None


async def keep(documents: Documents, plan: Plan) -> None:
    """Durable on return. Raises StoreUnavailable."""
    while True:
        document = await documents.get(PREFIX + plan.person)
        try:
            await documents.set(replace(document, body=encode(plan)))
        except DocumentConflict:
            continue
        return


async def drop(documents: Documents, plan: Plan) -> None:
    """The erasure is over. Raises StoreUnavailable."""
    await documents.delete(PREFIX + plan.person)
