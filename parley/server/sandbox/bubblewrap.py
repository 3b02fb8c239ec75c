"""The command line of bubblewrap: what a command sees of the machine, which is little."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

from parley.server.sandbox.limits import CommandLimits, SandboxFailed
from parley.server.sandbox.remedies import package_remedy

VISIBLE = "/usr"
"""What commands can read, beside the files of their conversation."""
HOME = "/home"
WORKSPACE = f"{HOME}/workspace"
_TEMPORARY = f"{HOME}/tmp"  # noqa: S108 - the sandbox's own, as the two below
# Beside the programs: what finds their libraries and alternatives, the time zone, and fonts.
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts")
_PROGRAM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    "HOME": _TEMPORARY,
    "TMPDIR": _TEMPORARY,
    "LANG": "C.UTF-8",
    "USER": "agent",
    "LOGNAME": "agent",
}
_SMALL = "65536"
_OPEN_FILES = 256
_MOST_LOCKED = 65_536
ROOTS_STAND_IN = 61_000
"""As whom commands run where Parley is root: a user that owns nothing and that systems leave unused."""
# The first shell is the sandbox's first process: with it everything in there ends. It waits for its word.
READY = b"ready\n"
# A kernel without memory ends what is in there before anything else.
_GATE = (
    "echo 1000 > /proc/self/oom_score_adj; echo ready; read -r word || exit 1; "
    f'cd {WORKSPACE} && sh -c -- "$1" </dev/null; exit $?'
)


def stand_in() -> int | None:
    """Return the user that commands run as, None for our own."""
    return ROOTS_STAND_IN if os.geteuid() == 0 else None


def confined_command(
    command: str, limits: CommandLimits, size: int, information: int, calls: int
) -> list[str]:
    """Return how `command` is run once it is given its word at its standard input.

    `size` is the bytes of all that it may write. Bubblewrap writes to the descriptor `information`, and reads
    its filter of calls from `calls`. Raises SandboxFailed where a program for it is not installed.
    """
    return [
        *_as_nobody(),
        found_program("bwrap", "bubblewrap"),
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"),
        *("--info-fd", str(information)),
        *("--seccomp", str(calls)),
        *_programs(),
        *("--proc", "/proc", "--perms", "0755", "--size", _SMALL, "--tmpfs", "/dev"),
        *(word for name in _DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
        *("--symlink", "/proc/self/fd", "/dev/fd", "--symlink", _TEMPORARY, "/dev/shm"),  # noqa: S108
        *("--size", str(size), "--tmpfs", HOME, "--dir", WORKSPACE, "--dir", _TEMPORARY),
        *("--symlink", _TEMPORARY, "/tmp"),  # noqa: S108
        *("--remount-ro", "/dev", "--remount-ro", "/", "--clearenv"),
        *(word for name, value in _ENVIRONMENT.items() for word in ("--setenv", name, value)),
        # Inside, for the number of processes is that of the sandbox's own user only in there.
        *(
            "--",
            found_program("prlimit", "util-linux"),
            *_bounds(limits),
            "--",
            "/bin/sh",
            "-c",
            _GATE,
            "sh",
            command,
        ),
    ]


def _bounds(limits: CommandLimits) -> Iterator[str]:
    """Yield the limits of each process, as options of prlimit; a lower limit of our own holds, too."""
    for name, most in (
        ("NPROC", limits.processes),
        # Of private memory that can be written; programs reserve addresses far beyond what they use.
        ("DATA", limits.memory),
        ("CPU", int(limits.seconds) + 1),
        ("NOFILE", _OPEN_FILES),
        ("MEMLOCK", _MOST_LOCKED),
        ("MSGQUEUE", 0),
        ("CORE", 0),
    ):
        _, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        yield f"--{name.lower()}={most if hard == resource.RLIM_INFINITY else min(most, hard)}"


def _as_nobody() -> list[str]:
    user = stand_in()
    if user is None:
        return []
    return [
        found_program("setpriv", "util-linux"),
        f"--reuid={user}",
        f"--regid={user}",
        "--clear-groups",
        "--",
    ]


def found_program(program: str, package: str) -> str:
    """Return where a program is. Raises SandboxFailed where it is not installed."""
    path = shutil.which(program)
    if path is None:
        raise SandboxFailed(f"{program} is not installed; {package_remedy(package)}")
    return path


def _programs() -> Iterator[str]:
    """Yield what is read-only in there: programs and their libraries, and no settings of anybody."""
    yield from ("--ro-bind", VISIBLE, VISIBLE)
    for name in _PROGRAM_FOLDERS:
        folder = Path("/", name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    for name in _SETTINGS:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")
