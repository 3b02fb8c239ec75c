"""Each promise, and each fault, with one of its channels, the channels in turn.

That is enough where a channel changes little: on an engine that is not the default one (the store knows no
channel, and a channel no store), and for seeded faults. The full edition checks all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.contract.drivers import DRIVERS
from tests.contract.faults import faults_for
from tests.contract.promises import PROMISES
from tests.kit.engine import NAMES


def is_repeated(case: str, engine: str) -> bool:
    """Whether a case, `channel-promise`, is left to the full edition on this engine."""
    return engine != NAMES[0] and tuple(case.split("-", 1)) not in _PROMISES


def is_bitten_elsewhere(channel: str, fault: str) -> bool:
    """Whether a fault is seeded in another channel, and in this one in the full edition only."""
    return (channel, fault) not in _FAULTS


def _in_turn(cases: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """Of all (channel, name) one for each name."""
    held: dict[str, list[str]] = {}
    for channel, name in cases:
        held.setdefault(name, []).append(channel)
    return frozenset(
        (channels[number % len(channels)], name) for number, (name, channels) in enumerate(held.items())
    )


_PROMISES = _in_turn(
    (name, promise.name)
    for promise in PROMISES.values()
    for name, driver in DRIVERS.items()
    if promise.applies(driver.traits)
)
_FAULTS = _in_turn((name, fault.name) for name, driver in DRIVERS.items() for fault in faults_for(driver))
