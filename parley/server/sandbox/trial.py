"""Tries what can isolate commands here: what holds is what was seen to hold."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from parley.server.sandbox.isolation.bubblewrap import Bubblewrap
from parley.server.sandbox.isolation.interface import Isolation
from parley.server.sandbox.isolation.runc import Runc
from parley.server.sandbox.isolation.surroundings import VISIBLE
from parley.server.sandbox.limits import CommandLimits, SandboxFailed, SandboxNotStarted
from parley.server.sandbox.remedies import namespace_remedy
from parley.server.sandbox.sandbox import Sandbox
from parley.server.workspace.workspaces import Workspaces

_TRIED = "printf done > tried | cat && cat tried"
_PREFERRED = Bubblewrap()
_OTHERS: tuple[Isolation, ...] = (Runc(),)


def find_isolation(limits: CommandLimits, private: Iterable[Path]) -> Isolation:
    """Run a command in a sandbox, and return what isolates it here. Raises SandboxFailed with the reasons.

    `private` are folders that commands must not be able to read.
    """
    for folder in private:
        if folder.resolve().is_relative_to(VISIBLE):
            raise SandboxFailed(f"{folder} is below {VISIBLE}, which commands can read; move it")
    # In a thread of its own: there may be a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(_first_that_works(limits))).result()


def _candidates() -> Iterator[Isolation]:
    """Yield what may isolate commands here: of others than the preferred only those that are installed."""
    yield _PREFERRED
    yield from (each for each in _OTHERS if shutil.which(each.name))


async def _first_that_works(limits: CommandLimits) -> Isolation:
    errors: list[SandboxFailed] = []
    for isolation in _candidates():
        try:
            await _try(isolation, limits)
        except SandboxFailed as error:
            errors.append(error)
        else:
            return isolation
    remedies = [namespace_remedy()] if any(isinstance(each, SandboxNotStarted) for each in errors) else []
    raise SandboxFailed("; ".join([*map(str, errors), *remedies]))


async def _try(isolation: Isolation, limits: CommandLimits) -> None:
    try:
        with TemporaryDirectory() as folder:
            workspace = Workspaces(Path(folder)).of(str(uuid4()))
            result = await Sandbox(isolation, limits).run(workspace, _TRIED)
            if result.ending.output != "done" or workspace.read("/tried") != b"done":
                raise SandboxFailed(f"a command could not be tried: {result.ending.output[:300]}")
    except OSError as error:
        raise SandboxFailed(f"a command could not be tried: {error}") from error
