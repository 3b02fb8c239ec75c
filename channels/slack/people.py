"""Who is who in the workspace: names, asked for once and kept for a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from bridge.errors import ChannelError

MOST = 10_000
MOST_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, as Slack tells; `language` is a BCP 47 tag or ""."""

    name: str
    language: str = ""


class People:
    """A cache in front of `ask`. Names are a courtesy: who cannot be asked for in time stays unnamed.

    `keep` is how long an answer holds, `patience` how long a message waits for all its names, in seconds.
    """

    def __init__(
        self, ask: Callable[[str], Awaitable[Person]], keep: float = 3600.0, patience: float = 1.5
    ) -> None:
        self._ask = ask
        self._keep = keep
        self._patience = patience
        self._known: dict[str, tuple[float, Person]] = {}

    async def named(self, ids: Iterable[str]) -> dict[str, Person]:
        """Those of these people whose names could be had."""
        wanted = list(dict.fromkeys(ids))[:MOST_AT_ONCE]
        missing = [each for each in wanted if self._fresh(each) is None]
        if missing:
            await self._learn(missing)
        known = ((each, self._known.get(each)) for each in wanted)
        return {each: entry[1] for each, entry in known if entry is not None}

    def _fresh(self, person: str) -> Person | None:
        at, known = self._known.get(person, (0.0, None))
        return known if time.monotonic() - at < self._keep else None

    async def _learn(self, ids: list[str]) -> None:
        tasks = [asyncio.create_task(self._ask_for(each)) for each in ids]
        try:
            await asyncio.wait(tasks, timeout=self._patience)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_for(self, person: str) -> None:
        try:
            found = await self._ask(person)
        except ChannelError:
            return
        while len(self._known) >= MOST:
            self._known.pop(next(iter(self._known)))
        self._known.pop(person, None)
        self._known[person] = (time.monotonic(), found)
