"""Commands in a sandbox: whether there can be any here, and processes that are told from all others."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.sandbox.limits import USUAL_LIMITS, SandboxFailed
from parley.server.sandbox.trial import try_sandbox
from tests.kit.waiting import until


@cache
def _why_not() -> str:
    try:
        try_sandbox(USUAL_LIMITS, ())
    except SandboxFailed as error:
        return str(error)
    return ""


def skip_without_sandbox() -> None:
    """Skip the test with the reason where this machine isolates no commands."""
    if why := _why_not():
        pytest.skip(f"no sandbox here: {why}")


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
