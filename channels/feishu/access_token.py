"""The app's access token: got once, renewed in good time by whoever listens, never while somebody waits."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from parley.channels.feishu.config import Config
from parley.channels.feishu.transport import FeishuTransport
from parley.core.model.errors import AuthenticationRefused, ChannelError, ChannelUnavailable

log = logging.getLogger(__name__)

# Feishu gives the same token again until thirty minutes before its end.
EARLY = 25 * 60.0
LAST_MOMENT = 60.0
TIMEOUT = 8.0
AGAIN = 20.0


class FeishuTokenCache:
    """One app's token. `clock` is monotonic."""

    def __init__(
        self, wire: FeishuTransport, config: Config, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._wire, self._config, self._clock = wire, config, clock
        self._token = ""
        self._until = 0.0
        self._renewing = asyncio.Lock()

    async def get(self) -> str:
        """A token that is good for some time. Raises ChannelError."""
        if not self._good():
            async with self._renewing:
                if not self._good():
                    await self._renew()
        return self._token

    def drop(self, token: str) -> None:
        """Use this token no more."""
        if token == self._token:
            self._until = 0.0

    async def renew(self) -> None:
        """Ask for a token now, which shows whether our credentials are (still) taken. Raises ChannelError."""
        async with self._renewing:
            await self._renew()

    async def keep_fresh(self) -> None:
        """Renew until cancelled. Raises AuthenticationRefused once Feishu refuses to."""
        while True:
            left = self._until - self._clock()
            await asyncio.sleep(max(1.0, left - EARLY if left > 2 * EARLY else left / 2))
            try:
                await self.renew()
            except AuthenticationRefused:
                raise
            except ChannelError as error:
                log.warning("feishu: the access token could not be renewed (%s)", error)
                await asyncio.sleep(AGAIN)

    def _good(self) -> bool:
        return self._clock() < self._until

    async def _renew(self) -> None:
        body = {"app_id": self._config.app_id, "app_secret": self._config.app_secret}
        path = "/open-apis/auth/v3/tenant_access_token/internal"
        answer = await self._wire.call("POST", path, body, timeout=TIMEOUT)
        token, life = answer.get("tenant_access_token"), answer.get("expire")
        if not isinstance(token, str) or not isinstance(life, int | float):
            raise ChannelUnavailable("Feishu's answer had no access token in it")
        self._token, self._until = token, self._clock() + max(life - LAST_MOMENT, life / 2)
