"""A process whose wall clock can be put forward and back, by Debian's libfaketime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

WARNING = 'clocks are left alone: libfaketime is not installed (Debian\'s package is "faketime")'


@dataclass(frozen=True, slots=True)
class Clock:
    """The wall clock of one process, as a file says; the monotonic clock goes on as it is."""

    file: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of the process; empty where there is no libfaketime."""
        library = find()
        if library is None:
            return {}
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            # How long a step may stay unseen, in seconds.
            "FAKETIME_CACHE_DURATION": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            # What is shared is left behind by kill -9.
            "FAKETIME_DISABLE_SHM": "1",
        }

    def put_off(self, seconds: float) -> None:
        """From now on it is so far from the right time."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{seconds:+.3f}\n")
        fresh.rename(self.file)


def find() -> Path | None:
    """The library, where it is installed."""
    return next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
