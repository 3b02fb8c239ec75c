"""What an operator does with everything about one person: look who it is, export it, erase it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from parley.core.privacy.data_subject import DataSubject, find_data_subject
from parley.core.privacy.erase import Erasure
from parley.core.privacy.erasure_state import ErasureState, find_erasure_state
from parley.core.privacy.export import export_person
from parley.core.privacy.report import PrivacyReport
from parley.core.privacy.sources import DataSources


class PrivacyService:
    """Names are a person's id or an account of theirs. Every method raises ValueError for what is neither,
    StoreUnavailable, and MemoryFailed.
    """

    def __init__(self, sources: DataSources) -> None:
        self._sources = sources
        self._erasing = asyncio.Lock()

    async def find(self, name: str) -> DataSubject:
        """Return the person, and all their accounts."""
        begun = await find_erasure_state(self._sources.archive, name)
        return begun.subject if begun is not None else await find_data_subject(self._sources.people, name)

    async def export(self, name: str, into: Path) -> PrivacyReport:
        """Write everything about them into the new zip file `into`; nothing is changed. Raises OSError."""
        return await export_person(self._sources, await self.find(name), into)

    async def erase(self, name: str) -> PrivacyReport:
        """Erase everything about them. Called again after a crash it goes on; called once more, it finds
        nothing. Raises PersonBusy while turns of theirs are under way: nothing, or not all, is erased then.
        """
        async with self._erasing:
            begun = await find_erasure_state(self._sources.archive, name)
            if begun is not None:
                return await Erasure(self._sources, begun, again=True).run()
            subject = await find_data_subject(self._sources.people, name)
            plan = ErasureState(subject.person, subject.accounts, self._sources.clock())
            return await Erasure(self._sources, plan, again=False).run()
