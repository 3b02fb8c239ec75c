"""`python -m tests.suites run NAME`, `unsteady`, `edition NAME`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from platform import python_version

from tests.suites.budget import edition
from tests.suites.definitions import EDITIONS, SUITES
from tests.suites.flaky_ledger import MOST, FlakyTest, Ledger, table
from tests.suites.run import FAILURES, Runner

_FOLDER = Path(".pytest_cache", "suites")
_UNSTEADY = "unsteady.jsonl"
_LEDGER = Ledger(_FOLDER / _UNSTEADY)


def main(arguments: list[str]) -> int:
    """Carry out a command; returns the exit status."""
    # A shell has what runs in its background ignore SIGINT, and so would all processes of the tests.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser("python -m tests.suites", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run", help="run a suite; what else is written goes to pytest", allow_abbrev=False
    )
    run.add_argument("name", choices=SUITES)
    run.add_argument("--edition", choices=EDITIONS, default="usual")
    run.add_argument("--coverage", action="store_true", help="print how much of each package ran")
    run.add_argument(
        "--shared",
        action="store_true",
        help="one of several in a run: go on with its ledger of unsteady tests, hear the wire for others",
    )
    commands.add_parser("unsteady", help="print the ledger; 1 when too many are in it")
    chosen = commands.add_parser("edition", help="print which edition there is time for")
    chosen.add_argument("name", choices=SUITES)
    chosen.add_argument("--later", nargs="*", default=[], choices=SUITES)
    chosen.add_argument("--done", nargs="*", default=[], choices=SUITES)
    chosen.add_argument("--elapsed", type=float, required=True, help="seconds since the start")
    chosen.add_argument("--limit", type=float, required=True, help="seconds for everything")
    asked, extra = parser.parse_known_args(arguments)
    if asked.command == "run":
        return _run(asked, extra)
    if extra:
        parser.error(f"unknown: {' '.join(extra)}")
    if asked.command == "edition":
        print(edition(asked.name, asked.later, asked.done, asked.elapsed, asked.limit))
        return 0
    return _unsteady(_LEDGER.read())


def _run(asked: argparse.Namespace, extra: list[str]) -> int:
    if not asked.shared:
        # Only what tells of this run: another suite may be on in this checkout.
        for name in (_UNSTEADY, FAILURES):
            (_FOLDER / name).unlink(missing_ok=True)
    # One suite may run on several versions of Python, and the logs of each are wanted.
    folder = _FOLDER / f"{asked.name}-{python_version()}"
    suite = SUITES[asked.name]
    runner = Runner(
        asked.name, suite, asked.edition, folder, _LEDGER, extra, coverage=asked.coverage, shared=asked.shared
    )
    try:
        status = runner.run()
    except KeyboardInterrupt:
        return 130
    if not asked.shared and (found := _LEDGER.read()):
        status |= _unsteady(found)
    return status


def _unsteady(found: Sequence[FlakyTest]) -> int:
    print(f"\n{table(found)}", flush=True)
    return 1 if len(found) > MOST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
