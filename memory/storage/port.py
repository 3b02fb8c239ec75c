"""The storage port of memories, which `json_files.py` (JSON files) and `sql.py` (SQL documents) implement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from parley.memory.model.document import StoredMemory


class MemoryStore(Protocol):
    """Memories by person, and by assistant where each has its own ("" is the one for all).

    Every method raises MemoryFailed, which says what is wrong and what helps; nothing is lost then.
    """

    async def load(self, person: str, assistant: str = "") -> StoredMemory:
        """The memory as it is now, also when it was changed by hand; an empty one for a stranger."""
        ...

    async def save(self, person: str, stored: StoredMemory, assistant: str = "") -> StoredMemory:
        """Write the whole memory if it is still as it was read; returns it with its new revision.

        After a crash at any moment either all of it is there or nothing. Raises DocumentConflict when
        somebody changed it meanwhile: load it again and decide anew.
        """
        ...

    async def people(self) -> Sequence[str]:
        """The persons of whom anything is remembered, in order."""
        ...

    async def erase(self, person: str) -> None:
        """Remove everything of a person, for every assistant, and all that was set aside of it.

        What stays is a count, so that what is being learned meanwhile is not stored, and whether they
        switched memory off.
        """
        ...
