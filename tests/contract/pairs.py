"""Which channel a promise is checked with on an engine that is not the default one.

The store knows no channel and a channel no store: each promise with one channel, the channels in turn, is
enough for the engine. The full edition checks all pairs.
"""

from __future__ import annotations

from tests.contract.drivers import DRIVERS
from tests.contract.promises import PROMISES
from tests.engine import NAMES


def is_repeated(case: str, engine: str) -> bool:
    """Whether a case, `channel-promise`, is left to the full edition on this engine."""
    return engine != NAMES[0] and case not in _PAIRS


def _pairs() -> frozenset[str]:
    pairs = set()
    for number, promise in enumerate(PROMISES.values()):
        held = [name for name, driver in DRIVERS.items() if promise.applies(driver.traits)]
        pairs.add(f"{held[number % len(held)]}-{promise.name}")
    return frozenset(pairs)


_PAIRS = _pairs()
