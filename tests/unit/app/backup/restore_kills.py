"""Restores that are killed: `python -m tests.unit.app.backup.restore_kills FOLDER BACKUP`.

FOLDER has a configuration and old data. At each call that changes something on disk a restore in a copy of
the folder is gone, as with kill -9: nothing is tidied up. A line each says what is there then, and after the
next one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import ParamSpec, TypeVar

from parley.app.backup.swap import read_pending_swap
from parley.app.cli.admin.restore import run
from parley.app.cli.load_config import load_config
from parley.app.cli.main import parser
from tests.unit.app.backup.kit import word_of

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")

_KILLED = 77
_CHANGES = ("rename", "replace", "utime")


def mortal(call: Callable[_Given, _Made], left: list[int]) -> Callable[_Given, _Made]:
    """Return the same call, which is not made any more when none are left."""

    def counted(*arguments: _Given.args, **named: _Given.kwargs) -> _Made:
        if left[0] == 0:
            os._exit(_KILLED)
        left[0] -= 1
        return call(*arguments, **named)

    return counted


def apart(work: Callable[[], int]) -> int:
    """Do it in a process of its own; returns the exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    code = 1
    try:
        code = work()
    finally:
        sys.stdout.flush()
        os._exit(code)


def killed(backup: Path, calls: int) -> int:
    left = [calls]
    for name in _CHANGES:
        setattr(os, name, mortal(getattr(os, name), left))
    return restored(backup)


def restored(backup: Path) -> int:
    """Restore in silence."""
    os.sync = lambda: None  # the machine goes on, and all of its disks would be waited for
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process lives
    return run(parser().parse_args(["restore", str(backup), "--replace"]))


def told() -> int:
    """Print what the data is now."""
    here = Path.cwd()
    print("unfinished" if read_pending_swap(here / "data") else word_of(here), end=" ")
    return 0


def kill_at_each_call(folder: Path, backup: Path) -> None:
    os.chdir(folder)
    load_config(None, verbose=False)  # what is loaded once is there in all children
    for calls in count():
        work = folder.with_name(f"work-{calls}")
        shutil.copytree(folder, work)
        os.chdir(work)
        code = apart(lambda: killed(backup, calls))  # noqa: B023 - over before the next
        apart(told)
        apart(lambda: restored(backup))
        apart(told)
        print(flush=True)
        os.chdir(folder)
        shutil.rmtree(work)
        if code != _KILLED:
            return


if __name__ == "__main__":
    kill_at_each_call(Path(sys.argv[1]), Path(sys.argv[2]))
