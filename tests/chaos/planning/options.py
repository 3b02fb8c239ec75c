"""What the command is told, and what the environment says instead."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from tests.chaos.planning.process_faults import CUTS, DATABASE_FAULTS
from tests.chaos.planning.scale import Edition, Scale
from tests.kit.machine import patience

_TOWNS: Mapping[str, Sequence[Edition]] = {"sqlite": ("inside", "apart"), "nodes": ("nodes",)}
_FULL = {"turns": 10_000, "kills": 1_000, "freezes": 100}
_SHORT = {"turns": 150, "kills": 15, "freezes": 3}
# Side by side: as many as two cores can carry, or one of each edition.
_MANY = {"sqlite": 3, "nodes": 2}


@dataclass(frozen=True, slots=True)
class Options:
    """An engine's whole run: a scale for each installation, and `minutes` for all of them."""

    engine: str
    whole: Scale
    towns: Sequence[tuple[Edition, Scale]]
    minutes: float
    write: bool


def read(arguments: Sequence[str], environ: Mapping[str, str] = os.environ) -> Options:
    """From the command line; PARLEY_CHAOS_TURNS, _KILLS, _SEED and so on are its defaults."""
    parser = argparse.ArgumentParser("python -m tests.chaos", description=__doc__)
    parser.add_argument("engine", choices=sorted(_TOWNS), help="one process, or three on PostgreSQL")
    parser.add_argument("--full", action="store_true", help="10,000 turns, 1,000 kills: an hour")
    for name in (*(each.name for each in fields(Scale)), "towns"):
        default = environ.get(f"PARLEY_CHAOS_{name.upper()}")
        parser.add_argument(f"--{name}", type=int, default=None if default is None else int(default))
    parser.add_argument("--edition", choices=("inside", "apart", "nodes"), help="of all installations")
    parser.add_argument("--minutes", type=float, default=patience(45.0), help="after which it is given up")
    parser.add_argument("--write", action="store_true", help="put the table into docs/chaos.md")
    found = parser.parse_args(arguments)
    usual = _FULL if found.full else _SHORT
    turns = _or(found.turns, usual["turns"])
    kills = _or(found.kills, usual["kills"] if found.turns is None else turns // 10)
    freezes = _or(found.freezes, usual["freezes"] if found.turns is None else kills // 10)
    editions = (found.edition,) if found.edition else _TOWNS[found.engine]
    count = _or(found.towns, _MANY[found.engine] if found.full else len(editions))
    # Something of each for every installation, however short the run is.
    few = max(count, (kills + 19) // 20)
    steps, fills = _or(found.steps, few), _or(found.fills, few)
    restarts = _or(found.restarts, max(len(DATABASE_FAULTS) * count, (kills + 39) // 40))
    cuts = _or(found.cuts, max(len(CUTS) * count, few))
    updates = _or(found.updates, max(count, (kills + 99) // 100))
    numbers = (freezes, steps, fills, restarts, cuts, updates)
    whole = Scale(turns, kills, _or(found.seed, 1), *numbers)
    towns = [(editions[n % len(editions)], share) for n, share in enumerate(whole.shares(count))]
    return Options(found.engine, whole, towns, found.minutes, found.write)


def _or(said: int | None, usual: int) -> int:
    return usual if said is None else said
