"""Who people are: a press tells an id only."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from parley.channels.dingtalk.api import DingTalkApi
from parley.channels.kit.user_cache import UserCache
from parley.core.model.address import User
from parley.core.model.errors import ChannelError
from parley.core.model.types import JsonObject

log = logging.getLogger(__name__)

PATIENCE = 0.3
"""Seconds for a name: whoever pressed a button waits for it."""
EXTERNAL_ID_PREFIX = "$:LWCP"
"""How the ids of people begin who are not of our organisation: those have no staff id."""
_KNOWN, _UNKNOWN = 86_400.0, 600.0
_MOST_CORP = 256


class DingTalkUserLookup:
    """Names by staff id, kept for a day, and our organisation (`home`, "" until a message told it).

    `clock` is monotonic.
    """

    def __init__(self, api: DingTalkApi, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = api
        self._names: UserCache[str] = UserCache(clock)
        self.home = ""

    def remember(self, sender: User, data: JsonObject) -> None:
        """Take from a message what it tells: who wrote it, and whose robot this is."""
        if sender.name:
            self._names.put(sender.id, sender.name, _KNOWN)
        home = data.get("chatbotCorpId")
        if isinstance(home, str) and 0 < len(home) <= _MOST_CORP:
            self.home = home

    async def name_of(self, person: str) -> str:
        """Return a person's name, or "" where DingTalk does not tell it, or not in time."""
        known = self._names.fresh(person)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(PATIENCE):
                name, life = await self._api.name_of(person), _KNOWN
        except (ChannelError, TimeoutError) as error:
            log.info("dingtalk: a name could not be looked up (%s)", error)
            name, life = "", _UNKNOWN
        return self._names.put(person, name, life)
