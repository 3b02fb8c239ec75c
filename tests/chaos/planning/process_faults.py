"""What is done to processes, their clocks, their disk and their database."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Literal

from tests.chaos.planning.scale import Edition, Scale, spread

Cut = Literal["partition", "hold", "database hold"]
DatabaseFault = Literal["database", "read-only", "full", "pooler", "schema"]
ProcessFaultKind = Literal["kill", "freeze", "clock", "disk", "update"] | Cut | DatabaseFault
CUTS: tuple[Cut, ...] = ("partition", "hold", "database hold")
"""Of a node's network: all packets are lost without a word; what it sends, and what it is sent, is held and
arrives later; the same between it and the database only."""
DATABASE_FAULTS: tuple[DatabaseFault, ...] = ("database", "read-only", "full", "pooler", "schema")
"""The server crashes, takes no writes, has no room on its disk; the pooler in front of it crashes; a newer
Parley brings the tables to its schema."""

LEASE = 4.0
"""Seconds for which a node holds its work in the edition of nodes."""
AGENT = "agent"
_NODES = ("node1", "node2", "node3")
_FARTHEST = 1200.0
"""A clock is this many seconds off at most: less than messages may be old, and keys of platforms live."""


@dataclass(frozen=True, slots=True)
class ProcessFault:
    """A shock, `delay` seconds after so many answers, to the victims by name.

    A freeze, a cut, a full disk and what is done to the database last for `lasts` seconds. Where `again` is
    not negative, a kill is followed by another in the midst of the start, that many seconds after it began.
    `off` is by how many seconds a clock is wrong from then on.
    """

    answers: int
    delay: float
    shock: ProcessFaultKind
    victims: tuple[str, ...] = ()
    lasts: float = 0.0
    again: float = -1.0
    off: float = 0.0


def parleys(edition: Edition) -> tuple[str, ...]:
    """Names of the Parleys of an edition."""
    return _NODES if edition == "nodes" else ("parley",)


def make_process_faults(scale: Scale, edition: Edition) -> tuple[ProcessFault, ...]:
    """Everything that is done in an edition at this scale, in its order."""
    dice, blows = random.Random(f"{scale.seed} blows"), list[ProcessFault]()
    names, apart = parleys(edition), edition != "inside"
    times = partial(_times, dice, scale)
    for at, delay in times(scale.kills):
        also = (AGENT,) if apart and dice.random() < 0.1 else ()
        again = dice.uniform(0, 4) if dice.random() < 0.1 else -1.0
        blows.append(ProcessFault(at, delay, "kill", (dice.choice(names), *also), again=again))
    for at, delay in times(scale.kills // 10 if apart else 0):
        blows.append(ProcessFault(at, delay, "kill", (AGENT,)))
    for at, delay in times(scale.freezes):
        lasts = _freeze(dice) if edition == "nodes" else dice.uniform(0.3, 3)
        blows.append(ProcessFault(at, delay, "freeze", (dice.choice(names),), lasts))
    for at, delay in times(scale.steps):
        off = dice.uniform(-_FARTHEST, _FARTHEST)
        blows.append(ProcessFault(at, delay, "clock", (dice.choice(names),), off=off))
    # An agent on the same disk fails its runs, and people are told: nothing to be counted as lost.
    for at, delay in times(scale.fills if edition == "apart" else 0):
        blows.append(ProcessFault(at, delay, "disk", lasts=dice.uniform(0.5, 3)))
    if edition == "nodes":
        blows += _of_nodes(dice, scale)
    return tuple(sorted(blows, key=lambda blow: (blow.answers, blow.delay)))


def _of_nodes(dice: random.Random, scale: Scale) -> Iterator[ProcessFault]:
    times = partial(_times, dice, scale)
    for (at, delay), fault in zip(times(scale.restarts), cycle(DATABASE_FAULTS), strict=False):
        yield ProcessFault(at, delay, fault, lasts=dice.uniform(0, 2))
    for (at, delay), cut in zip(times(scale.cuts), cycle(CUTS), strict=False):
        yield ProcessFault(at, delay, cut, (dice.choice(_NODES),), _freeze(dice))
    for at, delay in times(scale.updates):
        yield ProcessFault(at, delay, "update", _NODES)


def _times(dice: random.Random, scale: Scale, count: int) -> list[tuple[int, float]]:
    return [(at, dice.uniform(0, 0.8)) for at in spread(dice, scale.turns, count)]


def _freeze(dice: random.Random) -> float:
    """Mostly long enough for others to take the work over, sometimes just not."""
    return dice.uniform(LEASE + 0.5, LEASE + 3) if dice.random() < 0.8 else dice.uniform(0.5, LEASE)
