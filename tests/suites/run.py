"""Running a suite: all of it, then what failed once more, alone."""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from tests.kit.machine import slowness
from tests.suites import coverage_report, outcome
from tests.suites.definitions import HEARING, Edition, Program, PytestRun, Suite
from tests.suites.flaky_ledger import MOST, FlakyTest, Ledger
from tests.suites.outcome import Failure

FAILURES = "failures.txt"
"""Beside the suites' folders: what failed in all of them, as it was printed."""
_PASSED, _NO_TESTS = 0, 5
_BRIEF = ("--tb=no", "--show-capture=no")
_SLOWEST = 10
_TIMES = 4
_LEAST = 300.0
_FAREWELL = 60.0


@dataclass
class Runner:
    """Runs a suite; what it writes down is below `folder`.

    With `extra` arguments somebody looks at a few tests: tracebacks are shown, nothing is repeated, and it
    may take as long as it likes. `shared` says that it is one of several suites of a run, which hear the wire
    for each other.
    """

    name: str
    suite: Suite
    edition: Edition
    folder: Path
    ledger: Ledger
    extra: Sequence[str] = ()
    coverage: bool = False
    shared: bool = False
    _seconds: dict[str, float] = field(default_factory=dict)

    def run(self) -> int:
        """Run it and say what is to be said; 0 when it is green."""
        shutil.rmtree(self.folder, ignore_errors=True)
        bounded = self.edition != "full" and not self.extra
        limit = time.monotonic() + max(_LEAST, _TIMES * self.suite.seconds * slowness()) if bounded else inf
        failures = [
            failure
            for number, part in enumerate(self.suite.parts)
            if not (self.shared and isinstance(part, PytestRun) and part.hear == "only")
            for failure in self._part(part, self.folder / str(number), limit)
        ]
        self._tell_slowest()
        if self.coverage:
            coverage_report.tell(self.folder)
        if not failures:
            return 0
        lines = [
            f"\n{self.name}: {len(failures)} failed",
            *(line for each in failures for line in each.lines()),
        ]
        print("\n".join(lines), flush=True)
        with self.folder.with_name(FAILURES).open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return 1

    def _part(self, part: PytestRun | Program, folder: Path, limit: float) -> Sequence[Failure]:
        if isinstance(part, Program):
            return self._again(part, self._program(part, folder, limit), folder, limit)
        measured = coverage_report.OPTIONS if self.coverage else ()
        hearing = HEARING if self.shared and part.hear else ()
        command = [*part.command(self.edition), *measured, *hearing, *self.extra]
        return self._again(part, self._pytest(command, folder, limit), folder, limit)

    def _again(
        self, part: PytestRun | Program, failures: Sequence[Failure], folder: Path, limit: float
    ) -> Sequence[Failure]:
        """Run what failed once more, alone; return what failed twice. More than a few are not tried."""
        room = MOST - len(self.ledger.read())
        may = self.suite.second_chance and not self.extra and all(failure.again for failure in failures)
        if not may or not 0 < len(failures) <= room:
            return failures
        twice: list[Failure] = []
        for number, failure in enumerate(failures):
            print(f"\n{failure.test} failed; once more, alone", flush=True)
            before, began = self._seconds.get(failure.test, 0.0), time.monotonic()
            alone = folder / f"alone{number}"
            if isinstance(part, Program):
                still = self._program(part, alone, limit)
            else:
                still = self._pytest(part.alone(failure.test, self.edition), alone, limit)
            if still:
                twice += still
                continue
            after = time.monotonic() - began
            self.ledger.add(FlakyTest(self.name, failure.test, before, after, failure.reason, failure.log))
        return twice

    def _pytest(self, command: Sequence[str], folder: Path, limit: float) -> Sequence[Failure]:
        words = [*command, "-p", "tests.suites.record", "--record", str(folder), "-rN"]
        status = _call([*words, *(() if self.extra else _BRIEF)], limit)
        found = outcome.read(folder)
        self._seconds |= found.seconds
        if status == _PASSED or found.failures:
            return found.failures
        reason = {
            None: "not done in time; these were under way:\n" + "\n".join(found.unfinished),
            _NO_TESTS: "no tests were found; a suite that lost its tests is broken",
        }.get(status, f"pytest ended with {status}; its last lines stand above")
        return [Failure(f"the suite {self.name}", reason, "", str(folder))]

    def _program(self, part: Program, folder: Path, limit: float) -> Sequence[Failure]:
        folder.mkdir(parents=True)
        log, began = folder / "output.log", time.monotonic()
        status = _call([*part.command(self.edition), *self.extra], limit, log)
        self._seconds[part.module] = time.monotonic() - began
        if status == _PASSED:
            return []
        reason = "not done in time" if status is None else _last_lines(log)
        return [Failure(part.module, reason, "", str(log), again=status is not None)]

    def _tell_slowest(self) -> None:
        slowest = sorted(self._seconds.items(), key=lambda each: -each[1])[:_SLOWEST]
        lines = [f"{seconds:7.1f} s  {test}" for test, seconds in slowest if seconds >= 1.0]
        if lines:
            print("\nslowest:\n" + "\n".join(lines), flush=True)


def _call(command: Sequence[str], limit: float, log: Path | None = None) -> int | None:
    """Run a command and return its exit status, None when it was not done at `limit`.

    What it prints goes to `log`, too.
    """
    environment = coverage_report.environment()
    process = subprocess.Popen(
        command, env=environment, stdout=None if log is None else subprocess.PIPE, text=True
    )
    copying = threading.Thread(target=_copy, args=(process, log))
    copying.start()
    try:
        return process.wait(None if limit == inf else max(1.0, limit - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # pytest ends what its tests started
        _bury(process)
        return None
    except KeyboardInterrupt:
        _bury(process)
        raise
    finally:
        copying.join()


def _copy(process: subprocess.Popen[str], log: Path | None) -> None:
    if log is None or process.stdout is None:
        return
    with log.open("w", encoding="utf-8") as file, process.stdout as lines:
        for line in lines:
            print(line, end="", flush=True)
            file.write(line)


def _bury(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(_FAREWELL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_lines(log: Path) -> str:
    """Return what a script said last, without the rows of its tables."""
    said = log.read_text("utf-8", errors="replace").splitlines()
    lines = [line for line in said if line.strip() and not line.startswith("|")]
    return "\n".join(lines[-3:])
