"""How much happens, and from which seed."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields, replace
from typing import Literal

Edition = Literal["inside", "apart", "nodes"]
"""Where things live: the agent inside Parley, the agent apart, or several Parleys on PostgreSQL beside it."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers of turns, of `kill -9` of Parley, of freezes, of steps of its clock, of times when its disk is
    full, of faults of its database, of cuts of a node's network, and of updates, which restart one node after
    the other; and the seed of everything else."""

    turns: int
    kills: int
    seed: int
    freezes: int = 0
    steps: int = 0
    fills: int = 0
    restarts: int = 0
    cuts: int = 0
    updates: int = 0

    def shares(self, towns: int) -> tuple[Scale, ...]:
        """The same in so many parts, each with a seed of its own that comes from this one."""
        return tuple(self._share(number, towns) for number in range(towns))

    def _share(self, number: int, towns: int) -> Scale:
        whole = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = {name: count // towns + (number < count % towns) for name, count in whole.items()}
        return Scale(**parts | {"seed": self.seed * 100 + number if towns > 1 else self.seed})

    def without(self, *names: str) -> Scale:
        """The same with none of these."""
        return replace(self, **dict.fromkeys(names, 0))


def spread(dice: random.Random, turns: int, count: int) -> list[int]:
    """Numbers of answers, evenly far apart but for chance, the last well before the end."""
    return [int(turns * 0.95 * (place + dice.random()) / count) for place in range(count)]
