"""Commands in a sandbox: whether there can be any here, and processes that are told from all others."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.sandbox.isolation.bubblewrap import Bubblewrap
from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.isolation.runc import Runc
from tests.kit.waiting import until

ISOLATIONS: tuple[Isolation, ...] = (Bubblewrap(), Runc())


@cache
def _why_not() -> str:
    """Ask bubblewrap itself: where that works, a sandbox of ours must."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (apt install bubblewrap)"
    bare = ["--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc", "/proc"]
    done = subprocess.run([program, *bare, "true"], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


def skip_without_sandbox(isolation: Isolation = ISOLATIONS[0]) -> None:
    """Skip the test with the reason where this machine isolates no commands, or not by this program."""
    if why := _why_not():
        pytest.skip(f"no sandbox here: {why}")
    if shutil.which(isolation.name) is None:
        pytest.skip(f"no sandbox of this kind here: apt install {isolation.name}")


def find_only(programs: Collection[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no other programs be found than these."""
    link_programs(programs, folder)
    monkeypatch.setenv("PATH", str(folder))


def link_programs(programs: Collection[str], folder: Path) -> None:
    """Put these programs of the machine into a folder."""
    for name in programs:
        (folder / name).symlink_to(str(shutil.which(name)))


@dataclass(frozen=True)
class Sleep:
    """A time that nobody else on the machine sleeps for, in seconds."""

    time: str

    def processes(self) -> int:
        """How many sleep for it, on the whole machine."""
        found = 0
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                found += place.joinpath("cmdline").read_bytes() == f"sleep\0{self.time}\0".encode()
        return found

    async def until_there(self, number: int) -> None:
        await until(lambda: self.processes() == number, "they sleep")

    async def until_gone(self) -> None:
        await until(lambda: not self.processes(), "all are gone")


def sleep(seconds: int) -> Sleep:
    """Return one of about this length."""
    return Sleep(f"{seconds}.{uuid4().int % 10**12:012}")
