"""Memories under kills, and with each seeded fault: `python -m tests.chaos.memory`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.chaos.memory.faults import FAULTS
from tests.chaos.memory.plan import make_plan
from tests.chaos.memory.run import Run, town

_FEW_PEOPLE, _FEW_STEPS = 3, 12


def read_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command is told."""
    parser = argparse.ArgumentParser("python -m tests.chaos.memory", description=__doc__)
    parser.add_argument("--nodes", type=int, default=1, help="so many on PostgreSQL; 1: one on SQLite")
    parser.add_argument("--people", type=int, default=5)
    parser.add_argument("--steps", type=int, default=18, help="of each person")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fault", choices=sorted(FAULTS), help="this one alone, seeded")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Run, and say what is wrong; 1 when anything is, or when a seeded fault is not seen."""
    given = read_arguments(arguments)
    if given.fault:
        return 0 if _seen(given.fault, given.seed) else 1
    run, problems = _live(given.people, given.steps, given.kills, given.seed, given.nodes)
    told = f"{len(run.ledger.answers)} answers told {run.ledger.known} words"
    said = f"{given.people} people, {given.people * given.steps} messages, {run.killed} kills"
    print(f"seed {given.seed}: {said}; {told}; {len(problems)} problems")
    for problem in problems:
        print(f"WRONG: {problem}")
    if not run.ledger.known:
        print("WRONG: no answer told anything")
    unseen = [] if given.nodes > 1 else [fault for fault in FAULTS if not _seen(fault, given.seed)]
    return 1 if problems or unseen or not run.ledger.known else 0


def _seen(fault: str, seed: int) -> bool:
    """Whether the account sees a seeded fault, without kills."""
    _, problems = _live(_FEW_PEOPLE, _FEW_STEPS, 0, seed, 1, {"PARLEY_CHAOS_FAULT": fault})
    print(f"seeded: {fault}: {problems[0]} ({len(problems)})" if problems else f"WRONG: not seen: {fault}")
    return bool(problems)


def _live(
    people: int, steps: int, kills: int, seed: int, nodes: int, variables: dict[str, str] | None = None
) -> tuple[Run, Sequence[str]]:
    folder = Path(tempfile.mkdtemp(prefix="parley-chaos-memory-"))
    with town(folder, people, nodes, variables or {}) as here:
        run = Run(here, make_plan(seed, people, steps, kills, nodes))
        problems = run.carry_out()
    if problems and not variables:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    return run, problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
