"""Sign-ins of people to servers that are under way: from the link that they get to the browser's return."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from parley.core.ports.sign_ins import CALLBACK_PATH, SIGN_IN_PATH
from parley.server.accounts.files import AccountFiles

PATIENCE = 900.0
"""Seconds for which a link holds."""
_EXCHANGE = 30.0
"""Seconds that a browser waits for what the server makes of the code it brought."""


@dataclass(frozen=True, slots=True, eq=False)
class PendingSignIn:
    """One that somebody was sent a link for. `name` is what they are called where they asked.

    The code goes to the loop that the agent lives on, which may be another one than the browser's.
    """

    server: str
    name: str
    url: str
    until: float
    loop: asyncio.AbstractEventLoop
    code: asyncio.Future[str] = field(repr=False)
    done: asyncio.Future[bool] = field(repr=False)


class SignIns:
    """The links that were sent. `address` is where browsers reach this Parley."""

    def __init__(
        self, files: AccountFiles, address: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.files = files
        self.address = address
        self._clock = clock
        self._by_state: dict[str, PendingSignIn] = {}

    @property
    def callback(self) -> str:
        """Where servers send browsers back to."""
        return self.address.rstrip("/") + CALLBACK_PATH

    def open(self, state: str, server: str, name: str, url: str) -> PendingSignIn:
        """Note that a link is sent; `state` is the secret in it."""
        now, loop = self._clock(), asyncio.get_running_loop()
        self._by_state = {key: each for key, each in self._by_state.items() if each.until > now}
        made = PendingSignIn(
            server, name, url, now + PATIENCE, loop, loop.create_future(), loop.create_future()
        )
        self._by_state[state] = made
        return made

    def link(self, state: str) -> str:
        """Return the link for the person."""
        return f"{self.address.rstrip('/')}{SIGN_IN_PATH}?state={quote(state)}"

    def find(self, state: str) -> PendingSignIn | None:
        """Return the sign-in of a link, while it holds."""
        found = self._by_state.get(state)
        return found if found is not None and found.until > self._clock() else None

    async def finish(self, state: str, code: str) -> bool:
        """Hand on the code that a browser brought; tell whether the server took it. A link is used once."""
        found = self.find(state)
        if found is None:
            return False
        self._by_state.pop(state, None)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_exchange(found, code), found.loop))


async def _exchange(pending: PendingSignIn, code: str) -> bool:
    if not pending.code.done():
        pending.code.set_result(code)
    done, _ = await asyncio.wait({pending.done}, timeout=_EXCHANGE)
    return bool(done) and pending.done.result()
