"""Memories under kills, and with each seeded fault: `python -m tests.chaos.memory`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.chaos.memory.faults import FAULTS
from tests.chaos.memory.plan import make_plan
from tests.chaos.memory.run import Run, town

_FEW_PEOPLE, _AT_ONCE = 2, 2


def read_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """What the command is told."""
    parser = argparse.ArgumentParser("python -m tests.chaos.memory", description=__doc__)
    parser.add_argument("--nodes", type=int, default=1, help="so many on PostgreSQL; 1: one on SQLite")
    parser.add_argument("--people", type=int, default=4)
    parser.add_argument("--steps", type=int, default=6, help="twice so many by chance, of each person")
    parser.add_argument("--kills", type=int, default=6)
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
    print(f"seed {given.seed}: {given.people} people, {run.killed} kills; {told}; {len(problems)} problems")
    print(run.ledger.exercised, flush=True)
    wrong = [*problems, *run.ledger.exercised.too_few(run.least)]
    for problem in wrong:
        print(f"WRONG: {problem}")
    return 1 if wrong or (given.nodes == 1 and not _all_seen(given.seed)) else 0


def _all_seen(seed: int) -> bool:
    """Whether the account sees each seeded fault; as many at a time as a machine has cores at least."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return all([*pool.map(lambda fault: _seen(fault, seed), FAULTS)])


def _seen(fault: str, seed: int) -> bool:
    """Whether the account says what it must of a seeded fault, without kills and steps by chance."""
    expected = FAULTS[fault]
    run, problems = _live(_FEW_PEOPLE, 0, 0, seed, 1, fault)
    said = [problem for problem in problems if expected.said in problem]
    few = run.ledger.exercised.too_few({expected.counted: run.least[expected.counted]})
    print(f"seeded: {fault}: {said[0]} ({len(said)})" if said else f"WRONG: not seen: {fault}", flush=True)
    for each in few:
        print(f"WRONG: {fault}: {each}", flush=True)
    return bool(said) and not few


def _live(
    people: int, steps: int, kills: int, seed: int, nodes: int, fault: str = ""
) -> tuple[Run, Sequence[str]]:
    folder = Path(tempfile.mkdtemp(prefix="parley-chaos-memory-"))
    with town(folder, people, nodes, {"PARLEY_CHAOS_FAULT": fault}) as here:
        run = Run(here, make_plan(seed, people, steps, kills, nodes))
        problems = run.carry_out(restart=not fault)
    if (problems or run.ledger.exercised.too_few(run.least)) and not fault:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder)
    return run, problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
