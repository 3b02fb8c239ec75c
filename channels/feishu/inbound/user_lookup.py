"""Who somebody is: an event tells their id only."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.kit.user_cache import UserCache
from parley.core.model.errors import ChannelError

log = logging.getLogger(__name__)

MOST_AT_ONCE = 10
_NAME_LIFE = 86_400.0
_UNKNOWN_LIFE = 600.0


class FeishuUserLookup:
    """People's names, kept for a day. `clock` is monotonic."""

    def __init__(self, api: FeishuApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api, self._clock = api, clock
        self._known: UserCache[str] = UserCache(clock)
        self._not_before = 0.0

    async def get_names(self, people: Iterable[str], patience: float = 0.8) -> dict[str, str]:
        """Return those names that could be had in so many seconds; of people not known yet only the first
        MOST_AT_ONCE are asked for."""
        wanted = list(dict.fromkeys(people))
        missing = [each for each in wanted if self._known.fresh(each) is None][:MOST_AT_ONCE]
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.gather(*map(self.get_name, missing))
        return {each: self._known.last(each) or "" for each in wanted}

    async def get_name(self, person: str) -> str:
        """Return a person's name, or "" where Feishu does not tell."""
        found = self._known.fresh(person)
        if found is not None:
            return found
        if self._clock() < self._not_before:
            return ""
        name, life = "", _UNKNOWN_LIFE
        try:
            name, life = await self._api.name_of(person), _NAME_LIFE
        except ScopeMissing as error:
            log.info("feishu: people's names are not known to the agent (%s)", error)
            self._not_before = self._clock() + _UNKNOWN_LIFE
        except ChannelError as error:
            log.info("feishu: a name could not be looked up (%s)", error)
            life = 5.0
        return self._known.put(person, name, life)
