"""What came of a run, read from what pytest wrote down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.suites.record import EVENTS


@dataclass(frozen=True)
class Failure:
    """A test that failed: why, where, and the file with all that is known of it.

    `again` says whether it is one test, which can be run again alone.
    """

    test: str
    reason: str
    place: str
    log: str
    again: bool = False

    def lines(self) -> Sequence[str]:
        """Return what a reader needs first."""
        reason = [f"    {line}" for line in self.reason.splitlines()[:6]]
        return [self.test, *reason, *([f"    at  {self.place}"] if self.place else ()), f"    log {self.log}"]


@dataclass(frozen=True)
class Outcome:
    """All failures of a run, and which tests had begun but not ended."""

    failures: Sequence[Failure]
    unfinished: Sequence[str]
    seconds: dict[str, float]


def read(folder: Path) -> Outcome:
    """Return what was written down in `folder`."""
    failures: dict[str, Failure] = {}
    running: dict[str, None] = {}
    seconds: dict[str, float] = {}
    file = folder / EVENTS
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        event = json.loads(line)
        test = event["test"]
        match event["event"]:
            case "began":
                running[test] = None
            case "ended":
                running.pop(test, None)
                seconds[test] = event["seconds"]
            case "failed":
                # The first reason counts: what fails while it is taken down follows from it.
                told = (event["reason"], event["place"], event["log"])
                failures.setdefault(test, Failure(test, *told, again="::" in test))
    return Outcome(tuple(failures.values()), tuple(running), seconds)
