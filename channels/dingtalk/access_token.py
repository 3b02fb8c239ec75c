"""The access token: asked for once, renewed well before it ends, off everybody's way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn

from parley.core.model.errors import AuthenticationRefused, ChannelError, RateLimited

EARLY = 300.0
"""Seconds before its end at which a token is renewed; half its life where that is shorter."""
_PAUSE = 10.0


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, and for how many seconds it is good."""

    value: str
    life: float


class DingTalkTokenCache:
    """`fetch` asks the platform for a token; many who need one at once wait for one request."""

    def __init__(
        self, fetch: Callable[[], Awaitable[AccessToken]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._asking = asyncio.Lock()
        self._value = ""
        self._renew_at = self._ends_at = 0.0

    async def get(self) -> str:
        """A token that is good. Raises ChannelError."""
        if not self._good():
            async with self._asking:
                if not self._good():
                    await self._renew()
        return self._value

    def refused(self, value: str) -> None:
        """The platform does not take this one; the next who needs one asks anew."""
        if value == self._value:
            self._value = ""

    async def keep_fresh(self) -> NoReturn:
        """Renew for as long as it runs. Raises AuthenticationRefused."""
        while True:
            pause = self._renew_at - self._clock()
            if pause > 0:
                await asyncio.sleep(pause)
                continue
            try:
                async with self._asking:
                    await self._renew()
            except AuthenticationRefused:
                raise
            except RateLimited as limit:
                await asyncio.sleep(limit.retry_after)
            except ChannelError:
                # The old one is still good for a while, and who needs one asks for itself.
                await asyncio.sleep(_PAUSE)

    def _good(self) -> bool:
        return bool(self._value) and self._clock() < self._ends_at

    async def _renew(self) -> None:
        token = await self._fetch()
        now = self._clock()
        self._value, self._ends_at = token.value, now + token.life
        self._renew_at = self._ends_at - min(EARLY, token.life / 2)
