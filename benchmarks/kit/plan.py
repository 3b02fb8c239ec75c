"""How much is measured."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from benchmarks.kit.agent_events import Script


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes are turns in flight; `rounds` is how often each pair is measured, but once from `once_from` on,
    and `accept_rounds` times where messages are only accepted.

    `flowing` turns are in flight without all beginning at once (0: not measured). `busy` are the sizes among
    which commands are given, while runs of `busy_script` stream.

    Messages arrive at the rates `arriving` for each number of `nodes`, then at `ladder_from` a second and
    at higher ones. `stores` are numbers of conversations, and `idle_seconds` how long nothing happens there.
    """

    sizes: tuple[int, ...]
    wait_sizes: tuple[int, ...]
    flowing: int
    rounds: int
    once_from: int
    immediate_turns: int
    accepts: int
    accept_rounds: int
    starts: int
    platforms: int
    busy: tuple[int, ...]
    busy_script: Script
    answer_seconds: float
    nodes: tuple[int, ...]
    arriving: tuple[float, ...]
    arriving_seconds: float
    ladder_from: float
    ladder_steps: int
    ladder_seconds: float
    stores: tuple[int, ...]
    idle_seconds: float

    @staticmethod
    def say(line: str) -> None:
        """Tell who waits what was just done."""
        sys.stderr.write(f"  {line}\n")


FULL = Plan(
    sizes=(50, 500, 2000),
    wait_sizes=(500, 2000),
    flowing=2000,
    rounds=2,
    once_from=2000,
    immediate_turns=600,
    accepts=20_000,
    accept_rounds=7,
    starts=5,
    platforms=2,
    busy=(2000,),
    busy_script=Script(40, 0.5),
    answer_seconds=25.0,
    nodes=(1, 2, 3, 4),
    arriving=(5, 25),
    arriving_seconds=10,
    ladder_from=50,
    ladder_steps=16,
    ladder_seconds=5,
    stores=(10_000, 100_000, 1_000_000),
    idle_seconds=10,
)
QUICK = Plan(
    sizes=(50,),
    wait_sizes=(),
    flowing=0,
    rounds=1,
    once_from=2000,
    immediate_turns=300,
    accepts=3_000,
    accept_rounds=1,
    starts=1,
    platforms=1,
    busy=(50,),
    busy_script=Script(20, 0.25),
    answer_seconds=8.0,
    nodes=(1, 2),
    arriving=(5,),
    arriving_seconds=2,
    ladder_from=10,
    ladder_steps=1,
    ladder_seconds=2,
    stores=(1000, 2000),
    idle_seconds=1,
)
