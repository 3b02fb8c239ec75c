"""A sandbox as a container of runc, which comes with Docker: no daemon, no image, no rights.

The bundle follows the runtime specification of the Open Container Initiative:
https://github.com/opencontainers/runtime-spec.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

from parley.core.model.types import Json
from parley.server.sandbox.isolation.interface import Launch
from parley.server.sandbox.isolation.programs import DIES_WITH_PARENT, as_stand_in, found_program, stand_in
from parley.server.sandbox.isolation.surroundings import (
    ENVIRONMENT,
    HOME,
    HOSTNAME,
    SMALL,
    TEMPORARY,
    first_process,
    program_inside,
    program_links,
    readable_paths,
)
from parley.server.sandbox.isolation.syscall_filter import seccomp_profile
from parley.server.sandbox.limits import CommandLimits

_SHARED_MEMORY = ("size=8000000", "nr_inodes=1000")
_NAMESPACES = ("user", "pid", "ipc", "uts", "mount", "network", "cgroup")
_CAPABILITY_SETS = ("bounding", "effective", "inheritable", "permitted", "ambient")
_READ_ONLY = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus")
_PAUSE = 0.01
_PREFIX = "parley-sandbox-"
_LEFT_AFTER = 7_200.0
"""Seconds. No command may take longer than an hour."""
# A user namespace without rights has one user, its root. Its tar would set the owners that an archive names.
_ROOTS_ENVIRONMENT = {"TAR_OPTIONS": "--no-same-owner"}


@dataclass(frozen=True, slots=True)
class Runc:
    """Isolates commands by runc."""

    name: str = "runc"

    def version(self) -> str:
        """Return name and version. Raises SandboxFailed where it is not installed."""
        command = [found_program(self.name, "runc"), "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return said.partition("\n")[0].replace(" version ", " ")

    @contextmanager
    def launch(self, command: str, limits: CommandLimits, size: int) -> Iterator[Launch]:
        """Prepare a sandbox: a folder with its description, its root, and what runc keeps of it."""
        program = found_program(self.name, "runc")
        # runc leaves a container alone where it is killed itself.
        first = [program_inside("setpriv"), DIES_WITH_PARENT, "--", *first_process(command, limits)]
        _remove_left()
        with TemporaryDirectory(prefix=_PREFIX) as name:
            bundle = Path(name)
            _write(bundle, _description(first, size))
            number, log = bundle / "first", bundle / "log"
            options = [f"--root={bundle / 'state'}", f"--log={log}", "run", f"--bundle={bundle}"]

            async def started() -> int:
                while not number.exists():  # noqa: ASYNC110 - runc tells by nothing else
                    await asyncio.sleep(_PAUSE)
                # It has the command in it, and is not read again.
                (bundle / "config.json").unlink()
                return int(number.read_text())

            yield Launch([*as_stand_in(), program, *options, f"--pid-file={number}", bundle.name], started)


def _remove_left() -> None:
    """Remove our folders of sandboxes whose process was killed: others on this machine may write there."""
    for left in Path(gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = left.lstat()
            ours = found.st_uid in (os.geteuid(), stand_in())
            if ours and time.time() - found.st_mtime > _LEFT_AFTER:
                shutil.rmtree(left)


def _write(bundle: Path, description: Mapping[str, Json]) -> None:
    root = bundle / "rootfs"
    for path in ("/proc", "/dev", HOME):
        (root / path[1:]).mkdir(parents=True)
    for path in readable_paths():
        place = root / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir() if Path(path).is_dir() else place.touch()
    for link, target in (*program_links(), ("/tmp", TEMPORARY)):  # noqa: S108 - the sandbox's own
        (root / link[1:]).symlink_to(target)
    (bundle / "state").mkdir()
    (bundle / "config.json").write_text(json.dumps(description))
    user = stand_in()
    if user is not None:
        # Ours are not for others to read, whatever they hold.
        for each in (bundle, *bundle.rglob("*")):
            os.chown(each, user, user, follow_symlinks=False)


def _description(command: list[str], size: int) -> dict[str, Json]:
    """Return the specification of a container that runs a command, which may write `size` bytes."""
    user = stand_in()
    owner: Json = [{"containerID": 0, "hostID": os.geteuid() if user is None else user, "size": 1}]
    group: Json = [{"containerID": 0, "hostID": os.getegid() if user is None else user, "size": 1}]
    return {
        "ociVersion": "1.0.2",
        "hostname": HOSTNAME,
        "root": {"path": "rootfs", "readonly": True},
        "process": {
            "user": {"uid": 0, "gid": 0},
            "cwd": "/",
            "args": [*command],
            "env": [f"{name}={value}" for name, value in {**ENVIRONMENT, **_ROOTS_ENVIRONMENT}.items()],
            "capabilities": {each: [] for each in _CAPABILITY_SETS},
            "noNewPrivileges": True,
        },
        "mounts": [*_mounts(size)],
        "linux": {
            "namespaces": [{"type": each} for each in _NAMESPACES],
            "uidMappings": owner,
            "gidMappings": group,
            "readonlyPaths": [*_READ_ONLY],
            "seccomp": seccomp_profile(),
        },
    }


def _mounts(size: int) -> Iterator[Json]:
    safe = ("nosuid", "nodev")
    yield _mount("/proc", "proc", "proc", *safe, "noexec")
    yield _mount("/dev", "tmpfs", "tmpfs", "nosuid", "noexec", "ro", "mode=755", f"size={SMALL}")
    yield _mount("/dev/shm", "tmpfs", "tmpfs", *safe, "noexec", *_SHARED_MEMORY)  # noqa: S108
    yield _mount(HOME, "tmpfs", "tmpfs", *safe, "mode=755", f"size={size}")
    for path in readable_paths():
        yield _mount(path, "bind", str(Path(path).resolve()), "rbind", "ro", *safe)


def _mount(place: str, kind: str, source: str, *options: str) -> Json:
    return {"destination": place, "type": kind, "source": source, "options": [*options]}
