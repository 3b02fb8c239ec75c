"""A sandbox by bubblewrap: https://github.com/containers/bubblewrap."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from parley.server.sandbox.isolation.interface import Launch
from parley.server.sandbox.isolation.programs import as_stand_in, found_program
from parley.server.sandbox.isolation.surroundings import (
    ENVIRONMENT,
    HOME,
    HOSTNAME,
    SMALL,
    TEMPORARY,
    first_process,
    program_links,
    readable_paths,
)
from parley.server.sandbox.isolation.syscall_filter import syscall_filter
from parley.server.sandbox.limits import CommandLimits

_DEVICES = ("null", "zero", "full", "random", "urandom")
_MOST_INFORMATION = 65_536


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Isolates commands by bubblewrap."""

    name: str = "bwrap"

    def version(self) -> str:
        """Return name and version. Raises SandboxFailed where it is not installed."""
        command = [found_program(self.name, "bubblewrap"), "--version"]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    @contextmanager
    def launch(self, command: str, limits: CommandLimits, size: int) -> Iterator[Launch]:
        """Prepare a sandbox: a pipe in which bubblewrap says what it started, and one with its filter."""
        program, filtering = found_program(self.name, "bubblewrap"), syscall_filter()
        opened = [*os.pipe(), *os.pipe()]
        reading, information, calls, writing = opened
        try:
            os.write(writing, filtering)  # a pipe holds it whole
            os.close(writing)
            opened.remove(writing)

            async def first() -> int:
                number: int = json.loads(os.read(reading, _MOST_INFORMATION))["child-pid"]
                return number

            line = [*as_stand_in(), program, *_options(size, information, calls), "--"]
            yield Launch([*line, *first_process(command, limits)], first, (information, calls))
        finally:
            for each in opened:
                os.close(each)


def _options(size: int, information: int, calls: int) -> list[str]:
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--hostname", HOSTNAME),
        *("--info-fd", str(information)),
        *("--seccomp", str(calls)),
        *(word for path in readable_paths() for word in ("--ro-bind", path, path)),
        *(word for link, target in program_links() for word in ("--symlink", target, link)),
        *("--proc", "/proc", "--perms", "0755", "--size", SMALL, "--tmpfs", "/dev"),
        *(word for name in _DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
        *("--symlink", "/proc/self/fd", "/dev/fd", "--symlink", TEMPORARY, "/dev/shm"),  # noqa: S108
        *("--size", str(size), "--tmpfs", HOME, "--symlink", TEMPORARY, "/tmp"),  # noqa: S108
        *("--remount-ro", "/dev", "--remount-ro", "/", "--clearenv"),
        *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
    ]
