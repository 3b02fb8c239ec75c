"""What an operator does with everything about one person: look who it is, export it, erase it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from parley.core.erasing.erase import Erasure
from parley.core.erasing.export import export
from parley.core.erasing.plan import Plan, begun_for
from parley.core.erasing.report import Report
from parley.core.erasing.sources import Sources
from parley.core.erasing.subject import Subject, find


class PersonDesk:
    """Names are a person's id or an account of theirs. Every method raises ValueError for what is neither,
    StoreUnavailable, and MemoryFailed.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._erasing = asyncio.Lock()

    async def who(self, name: str) -> Subject:
        """The person, and all their accounts."""
        begun = await begun_for(self._sources.archive, name)
        return begun.subject if begun is not None else await find(self._sources.people, name)

    async def export(self, name: str, into: Path) -> Report:
        """Write everything about them into the new zip file `into`; nothing is changed. Raises OSError."""
        return await export(self._sources, await self.who(name), into)

    async def erase(self, name: str) -> Report:
        """Erase everything about them. Called again after a crash it goes on; called once more, it finds
        nothing. Raises PersonBusy while turns of theirs are under way: nothing, or not all, is erased then.
        """
        async with self._erasing:
            begun = await begun_for(self._sources.archive, name)
            if begun is not None:
                return await Erasure(self._sources, begun, again=True).run()
            subject = await find(self._sources.people, name)
            plan = Plan(subject.person, subject.accounts, self._sources.clock())
            return await Erasure(self._sources, plan, again=False).run()
