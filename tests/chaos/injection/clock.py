"""A process whose wall clock can be put forward and back, by a small library that is loaded into it."""

from __future__ import annotations

import functools
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

WARNING = (
    'clocks are left alone: there is no working C compiler (Debian\'s packages are "gcc" and "libc6-dev")'
)
_SOURCE = Path(__file__).with_name("clock.c")


@dataclass(frozen=True, slots=True)
class Clock:
    """The wall clock of one process, as a file says; the monotonic clock goes on as it is."""

    file: Path

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment of the process; empty where clocks are left alone."""
        built = library()
        return {} if built is None else {"LD_PRELOAD": built, "PARLEY_CHAOS_CLOCK": str(self.file)}

    def put_off(self, seconds: float) -> None:
        """From now on it is so far from the right time."""
        # In place: processes have the file mapped.
        with self.file.open("r+b" if self.file.exists() else "wb", buffering=0) as file:
            file.write(struct.pack("=q", round(seconds * 1e9)))


@functools.cache
def library() -> str | None:
    """The library, compiled and kept until this process ends; None without a working compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    folder = _folder()
    target = Path(folder.name) / "clock.so"
    command = [compiler, "-O2", "-Wall", "-shared", "-fPIC", "-o", str(target), str(_SOURCE), "-ldl"]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    return str(target) if made.returncode == 0 else None


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="parley-clock-")
