"""The programs that make a sandbox: where they are, and as whom they run."""

from __future__ import annotations

import os
import shutil

from parley.server.sandbox.limits import SandboxFailed
from parley.server.sandbox.remedies import package_remedy

ROOTS_STAND_IN = 61_000
"""As whom commands run where Parley is root: a user that owns nothing and that systems leave unused."""
DIES_WITH_PARENT = "--pdeathsig=KILL"
"""Setpriv's option by which the kernel ends a program when the thread ends that started it."""


def stand_in() -> int | None:
    """Return the user that commands run as, None for our own."""
    return ROOTS_STAND_IN if os.geteuid() == 0 else None


def as_stand_in() -> list[str]:
    """Return the beginning of a command line that runs the rest of it as that user, and no longer than we.

    Raises SandboxFailed where setpriv is not installed.
    """
    program, user = found_program("setpriv", "util-linux"), stand_in()
    if user is None:
        return [program, DIES_WITH_PARENT, "--"]
    return [program, DIES_WITH_PARENT, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]


def found_program(program: str, package: str, folders: str | None = None) -> str:
    """Return where a program is, in these folders or in those of PATH.

    Raises SandboxFailed where it is not installed.
    """
    path = shutil.which(program, path=folders)
    if path is None:
        raise SandboxFailed(f"{program} is not installed; {package_remedy(package)}")
    return path
