"""Which edition of a suite there is still time for."""

from __future__ import annotations

from collections.abc import Sequence

from tests.suites.definitions import SUITES, Edition

SHORT = 0.4
"""What a short edition takes of a usual one, at most."""


def edition(name: str, later: Sequence[str], done: Sequence[str], elapsed: float, limit: float) -> Edition:
    """Return `short` when the usual edition would leave too little for the short ones of `later`.

    How fast this machine is, the suites that are done have shown: `elapsed` seconds for all of them.
    """
    usual = sum(SUITES[each].seconds for each in done)
    pace = max(1.0, elapsed / usual) if usual else 1.0
    needed = SUITES[name].seconds + SHORT * sum(SUITES[each].seconds for each in later)
    return "usual" if elapsed + pace * needed <= limit else "short"
