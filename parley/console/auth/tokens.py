"""The console's token: comparing it, and not letting it be guessed."""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable


class TokenCheck:
    """Compares credentials in constant time, as the token itself or as the cookie made from it.

    The cookie is derived, so that the token stays out of the browser, survives restarts, and ends with
    the token it was made from. So is its `name`: a browser gives the cookies of one port of a machine to all
    of them, and two Parleys must not overwrite each other's.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self.cookie = hmac.new(self._token, b"parley console", hashlib.sha256).hexdigest()
        self.name = f"parley_{hmac.new(self._token, b'parley cookie', hashlib.sha256).hexdigest()[:8]}"

    def is_token(self, said: str) -> bool:
        """Return whether `said` is the token."""
        return hmac.compare_digest(_digest(said.encode("utf-8", "replace")), _digest(self._token))

    def is_cookie(self, said: str) -> bool:
        """Return whether `said` is the cookie of this token."""
        return hmac.compare_digest(_digest(said.encode("utf-8", "replace")), _digest(self.cookie.encode()))


class SigninAttempts:
    """Counts wrong credentials by address: `most` within `window` seconds, then silence until they lapse."""

    def __init__(
        self, clock: Callable[[], float], most: int = 10, window: float = 60.0, addresses: int = 10_000
    ) -> None:
        self._clock = clock
        self._most = most
        self._window = window
        self._addresses = addresses
        self._failures: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Return seconds until this address may try again; 0 when it may now."""
        since, count = self._failures.get(address, (0.0, 0))
        left = since + self._window - self._clock()
        return left if count >= self._most and left > 0 else 0.0

    def failed(self, address: str) -> None:
        """Note a wrong credential."""
        now = self._clock()
        since, count = self._failures.pop(address, (now, 0))
        if now - since >= self._window:
            since, count = now, 0
        self._failures[address] = (since, count + 1)
        if len(self._failures) > self._addresses:
            self._failures.popitem(last=False)


def _digest(value: bytes) -> bytes:
    return hashlib.sha256(value).digest()
