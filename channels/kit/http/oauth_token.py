"""An app's access token: fetched once, renewed well before it ends, while nobody waits for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NoReturn, TypeVar

from parley.core.model.errors import AuthenticationRefused, ChannelError

_SHORTEST_PAUSE = 1.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, and for how many seconds it is good."""

    value: str
    life: float


class TokenCache:
    """One app's token; many who need one at once wait for one request. `clock` is monotonic.

    `fetch` asks the platform for a token, which is renewed `early` seconds before its end, at half its life
    where that is later. `failed` is told why a renewal failed; it returns the seconds until the next attempt.
    """

    def __init__(
        self,
        fetch: Callable[[], Awaitable[AccessToken]],
        early: float,
        failed: Callable[[ChannelError], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch, self._early, self._failed, self._clock = fetch, early, failed, clock
        self._renewing = asyncio.Lock()
        self._value = ""
        self._renew_at = self._ends_at = 0.0

    async def get(self) -> str:
        """Return a token that is good. Raises ChannelError."""
        if not self._good():
            async with self._renewing:
                if not self._good():
                    await self._renew()
        return self._value

    async def renew(self) -> None:
        """Ask for a token now, which shows whether our credentials are (still) taken. Raises ChannelError."""
        async with self._renewing:
            await self._renew()

    async def call(self, refused: type[ChannelError], work: Callable[[str], Awaitable[T]]) -> T:
        """Do `work` with the token; where that raises `refused`, once more with a new one."""
        token = await self.get()
        try:
            return await work(token)
        except refused:
            if token == self._value:
                self._ends_at = 0.0
        return await work(await self.get())

    async def keep_fresh(self) -> NoReturn:
        """Renew the token for as long as this runs. Raises AuthenticationRefused."""
        while True:
            pause = self._renew_at - self._clock()
            if pause > 0:
                await asyncio.sleep(pause)
                continue
            try:
                await self.renew()
            except AuthenticationRefused:
                raise
            except ChannelError as error:
                # The old one is still good for a while, and who needs one asks for itself.
                await asyncio.sleep(self._failed(error))

    def _good(self) -> bool:
        return self._clock() < self._ends_at

    async def _renew(self) -> None:
        token = await self._fetch()
        now = self._clock()
        self._value, self._ends_at = token.value, now + token.life
        self._renew_at = now + max(_SHORTEST_PAUSE, token.life - self._early, token.life / 2)
