"""Chaos: `python -m tests.chaos sqlite|nodes`. Installations side by side, and one account of them all."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.chaos.accounting import report
from tests.chaos.accounting.result import Result, together
from tests.chaos.injection import clock, network
from tests.chaos.installation import RESULT
from tests.chaos.planning import options
from tests.chaos.planning.options import Options
from tests.chaos.planning.scale import Edition, Scale
from tests.kit import small_disk
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.store.pooler import is_installed

_EVERY = 30.0
_FAREWELL = patience(30.0)


@dataclass
class InstallationRun:
    """An installation on its way, and how far it says it is."""

    folder: Path
    edition: Edition
    scale: Scale
    said: str = "0 0"

    @property
    def again(self) -> str:
        """The command that plans the very same."""
        engine = "nodes" if self.edition == "nodes" else "sqlite"
        numbers = " ".join(f"--{name} {count}" for name, count in asdict(self.scale).items())
        return f"python -m tests.chaos {engine} --edition {self.edition} --towns 1 {numbers}"

    @property
    def result(self) -> Result | None:
        """What came out, once it is there."""
        file = self.folder / RESULT
        return Result.read(file) if file.exists() else None

    async def live(self, prefix: Sequence[str]) -> None:
        """See it through; SIGTERM when cancelled. Its output is town.log in its folder."""
        command = (*prefix, sys.executable, "-m", "tests.chaos.installation", str(self.folder), self.edition)
        numbers, mounting = json.dumps(asdict(self.scale)), "mounting" if prefix else "not mounting"
        self.folder.mkdir(parents=True)
        process = await asyncio.create_subprocess_exec(
            *command, numbers, mounting, cwd=ROOT, stdout=PIPE, stderr=STDOUT, start_new_session=True
        )
        try:
            await self._listen(process)
        finally:
            await _end(process)

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        with (self.folder / "town.log").open("wb") as log:
            async for line in process.stdout:
                log.write(line)
                if line.replace(b" ", b"").strip().isdigit():
                    self.said = line.decode().strip()
        await process.wait()


async def _end(process: Process) -> None:
    """Ask it to end; then nothing of it is left, whatever became of it."""
    if process.returncode is None:
        process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _FAREWELL)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


async def _tell(towns: Sequence[InstallationRun]) -> None:
    """How far all of them are, now and then."""
    while True:
        await asyncio.sleep(_EVERY)
        answers, blows = (sum(int(town.said.split()[place]) for town in towns) for place in (0, 1))
        print(f"{answers} answered, {blows} blows", flush=True)


async def run(towns: Sequence[InstallationRun], minutes: float, prefix: Sequence[str]) -> None:
    """All installations side by side, until the last is through, or the time is over."""
    telling = asyncio.create_task(_tell(towns))
    try:
        async with asyncio.timeout(60 * minutes), asyncio.TaskGroup() as group:
            for town in towns:
                group.create_task(town.live(prefix))
    except TimeoutError:
        print(f"not done after {minutes:g} minutes", flush=True)
    finally:
        telling.cancel()


def main(arguments: Sequence[str]) -> int:
    """Run, print the account, and say what is wrong; 1 when anything is."""
    asked = options.read(arguments)
    folder = Path(tempfile.mkdtemp(prefix="parley-chaos-"))
    towns = [
        InstallationRun(folder / f"town{n}", edition, scale) for n, (edition, scale) in enumerate(asked.towns)
    ]
    # PostgreSQL runs as a user of its own, and only root may become another one.
    may = asked.engine == "sqlite" or os.getuid() == 0
    prefix = small_disk.namespace() if may else ()
    for missing in _missing(asked, prefix):
        print(missing, flush=True)
    print(f"seed {asked.whole.seed}: {len(towns)} installations, {asked.whole}", flush=True)
    asyncio.run(run(towns, asked.minutes, prefix))
    results: dict[Edition, list[Result]] = {edition: [] for edition, _ in asked.towns}
    for town in towns:
        if town.result is not None:
            results[town.edition].append(town.result)
    found = [together(each) for each in results.values() if each]
    bad = [town for town in towns if town.result is None or town.result.wrong]
    if found:
        print(report.table(found))
    for town in bad:
        print(f"\nWRONG: {town.result.wrong if town.result else 'it did not come to its end'}")
        print(f"  logs: {town.folder}\n  again: {town.again}")
    if bad or not found:
        return 1
    if asked.write:
        report.write(found, asked.engine, asked.whole.seed, ROOT / "docs" / "chaos.md")
    shutil.rmtree(folder)
    return 0


def _missing(asked: Options, prefix: Sequence[str]) -> Sequence[str]:
    """What cannot be done on this machine."""
    said = [] if clock.library() or not asked.whole.steps else [clock.WARNING]
    if asked.engine == "nodes" and not network.is_possible():
        said.append(network.WARNING)
    if asked.engine == "nodes" and not is_installed():
        said.append('no pooler crashes: Debian\'s package is "pgbouncer"')
    return said if prefix else [*said, small_disk.WARNING]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
