"""Claims whose answer never arrived: the server may have given lanes that nobody works on."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable


class InDoubtClaims:
    """Tickets of lost claims; whatever bears one is taken back by the claims that follow.

    They are kept for `patience` seconds: longer than a server may still be busy with a call whose
    connection is gone.
    """

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience = patience
        self._clock = clock
        self._until: dict[int, float] = {}

    def open(self) -> tuple[int, list[int]]:
        """Return a new ticket, and those to take back."""
        now = self._clock()
        self._until = {ticket: until for ticket, until in self._until.items() if until > now}
        return secrets.randbits(62), list(self._until)

    def keep(self, ticket: int) -> None:
        """Note that the answer to the claim with `ticket` was lost."""
        self._until[ticket] = self._clock() + self._patience
