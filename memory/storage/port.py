"""The storage port of memories, which `json_files.py` (JSON files) and `sql.py` (SQL documents) implement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parley.memory.model.document import StoredMemory


class MemoryStore(Protocol):
    """Memories by person, and by assistant where each has its own ("" is the general one).

    Every method raises MemoryFailed, whose text says what is wrong and what helps, or StoreUnavailable where
    the store of the conversations keeps them; nothing is lost then.
    """

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        """Return the memory as it is now, also after edits by hand; an empty one for an unknown person."""
        ...

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        """Save the whole memory if it is as it was read; return it with its new revision.

        After a crash at any moment either all of it is there or nothing. Raises DocumentConflict when
        somebody changed it meanwhile: load it again and redo the change.
        """
        ...

    async def people_page(self, after: str, limit: int) -> Sequence[str]:
        """Return the next persons of whom anything is remembered after one, at most `limit`; "" is the start.

        Their order is the store's own.
        """
        ...

    async def erase(self, person: str) -> None:
        """Remove everything of a person, for every assistant, and all that was quarantined.

        The generation stays, so that a lesson in progress is not saved, and whether memory is switched off.
        """
        ...
