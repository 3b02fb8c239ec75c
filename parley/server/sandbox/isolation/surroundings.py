"""What a command sees of the machine, which is little, and how it begins: the same whatever isolates it."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Mapping
from pathlib import Path

from parley.server.sandbox.isolation.programs import found_program
from parley.server.sandbox.limits import CommandLimits

VISIBLE = "/usr"
"""What commands can read, beside the files of their conversation."""
HOME = "/home"
WORKSPACE = f"{HOME}/workspace"
TEMPORARY = f"{HOME}/tmp"  # noqa: S108 - the sandbox's own, as the two below
HOSTNAME = "sandbox"
SMALL = "65536"
"""Bytes of /dev."""
ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    "HOME": TEMPORARY,
    "TMPDIR": TEMPORARY,
    "LANG": "C.UTF-8",
    "USER": "agent",
    "LOGNAME": "agent",
}
# Beside the programs: what finds their libraries and alternatives, the time zone, and fonts.
_SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts")
_PROGRAM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_OPEN_FILES = 256
_MOST_LOCKED = 65_536
# The first shell is the sandbox's first process: with it everything in there ends. It waits for its word.
READY = b"ready\n"
# A kernel without memory ends what is in there before anything else. One stream keeps its lines in order.
_GATE = (
    f"mkdir {WORKSPACE} {TEMPORARY}; echo 1000 > /proc/self/oom_score_adj; echo ready; "
    f'read -r word || exit 1; cd {WORKSPACE} && sh -c -- "$1" </dev/null 2>&1; exit $?'
)


def program_links() -> Iterator[tuple[str, str]]:
    """Yield links of the machine's to folders with programs, and where they lead."""
    for folder in (Path("/", name) for name in _PROGRAM_FOLDERS):
        if folder.is_symlink():
            yield str(folder), str(folder.readlink())


def readable_paths() -> Iterator[str]:
    """Yield what is read-only in there: programs and their libraries, and no settings of anybody."""
    yield VISIBLE
    yield from (f"/{name}" for name in _PROGRAM_FOLDERS if _is_folder(Path("/", name)))
    yield from (f"/etc/{name}" for name in _SETTINGS if Path("/etc", name).exists())


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def first_process(command: str, limits: CommandLimits) -> list[str]:
    """Return the command line of the first process in there. Raises SandboxFailed without prlimit.

    The limits are set inside: the number of processes is that of the sandbox's own user only in there.
    """
    return [program_inside("prlimit"), *_bounds(limits), "--", "/bin/sh", "-c", _GATE, "sh", command]


def program_inside(name: str) -> str:
    """Return where a program of util-linux is in there. Raises SandboxFailed where it is not installed."""
    return found_program(name, "util-linux", ENVIRONMENT["PATH"])


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
