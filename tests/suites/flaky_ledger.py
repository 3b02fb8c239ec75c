"""The ledger of tests that failed and were green when they ran again, alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

MOST = 3
"""More of them in one run make it red."""


@dataclass(frozen=True)
class FlakyTest:
    """A test that failed after so many seconds for this reason, and was green after so many alone."""

    suite: str
    test: str
    failed_after: float
    green_after: float
    reason: str
    log: str


class Ledger:
    """A file with a line for each; it lasts until a new run begins."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, found: FlakyTest) -> None:
        """Write one down."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found), ensure_ascii=False) + "\n")

    def read(self) -> Sequence[FlakyTest]:
        """Return all that were written down."""
        if not self._file.exists():
            return ()
        return [FlakyTest(**json.loads(line)) for line in self._file.read_text("utf-8").splitlines()]


def table(found: Sequence[FlakyTest]) -> str:
    """Return the ledger as it is printed last."""
    lines = [f"unsteady: {len(found)}" + (f" (at most {MOST} may be)" if found else "")]
    for each in found:
        first = next(iter(each.reason.splitlines()), "")
        times = f"failed after {each.failed_after:.1f} s, green alone after {each.green_after:.1f} s"
        lines += [f"  {each.test} ({each.suite}): {times}", f"      {first[:200]}", f"      log {each.log}"]
    return "\n".join(lines)
