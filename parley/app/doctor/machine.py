"""This machine: room on the disk, open files, and memory."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from parley.app.doctor.context import DoctorContext
from parley.app.doctor.result import CheckResult, failed, remarked, skipped, succeeded
from parley.store.sqlite.diagnosis import nearest_folder

_MB = 1_000_000
_FEWEST_FILES, _USUAL_FILES = 512, 4096
_CGROUP = Path("/sys/fs/cgroup")
_UNLIMITED = "max"


@dataclass(frozen=True, slots=True)
class Threshold:
    """Less than `least` is a failure, less than `usual` a remark."""

    least: int
    usual: int

    def judge(self, found: int) -> Callable[..., CheckResult] | None:
        """Return how to report a number; None for one that is enough."""
        if found < self.least:
            return failed
        return remarked if found < self.usual else None


DISK = Threshold(100 * _MB, 1000 * _MB)
INODES = Threshold(1_000, 10_000)
FILES = Threshold(_FEWEST_FILES, _USUAL_FILES)
MEMORY = Threshold(150 * _MB, 400 * _MB)


async def probe_machine(context: DoctorContext) -> AsyncIterator[CheckResult]:
    """Yield what there is of everything that runs out."""
    context.say("machine: disk, open files, memory")
    folder = nearest_folder(context.loaded.data_dir)
    yield judge_disk(shutil.disk_usage(folder).free)
    yield judge_inodes(os.statvfs(folder))
    yield judge_files(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    yield judge_memory(free_memory())


def judge_disk(free: int) -> CheckResult:
    """Return whether there is room for data."""
    text, worse = f"{free // _MB:,} MB are free on the disk of data_dir", DISK.judge(free)
    if worse is None:
        return succeeded("machine.disk", text, plain=True)
    return worse("machine.disk", text, "make room, or move data_dir to a larger disk", "data_dir", plain=True)


def judge_inodes(found: os.statvfs_result) -> CheckResult:
    """Return whether there is room for more files."""
    if not found.f_files:
        return skipped("machine.inodes", "this file system does not count them")
    text, worse = f"{found.f_favail:,} more files can be made there", INODES.judge(found.f_favail)
    if worse is None:
        return succeeded("machine.inodes", text, plain=True)
    return worse("machine.inodes", text, "remove small files on that disk (df -i)", "data_dir", plain=True)


def judge_files(limit: int) -> CheckResult:
    """Return whether enough files and connections can be open at a time."""
    if limit == resource.RLIM_INFINITY:
        return succeeded("machine.open_files", "any number of files may be open", plain=True)
    text, worse = f"{limit:,} files and connections may be open at a time", FILES.judge(limit)
    if worse is None:
        return succeeded("machine.open_files", text, plain=True)
    remedy = "run: ulimit -n 65536; in systemd: LimitNOFILE=65536"
    return worse("machine.open_files", text, remedy, plain=True)


def judge_memory(free: int | None) -> CheckResult:
    """Return whether there is memory for another Parley, which takes about 150 MB."""
    if free is None:
        return skipped("machine.memory", "this system does not tell how much is free")
    text, worse = f"{free // _MB:,} MB of memory are free", MEMORY.judge(free)
    if worse is None:
        return succeeded("machine.memory", text, plain=True)
    return worse("machine.memory", text, "give the machine or the container more memory", plain=True)


def free_memory(proc: Path = Path("/proc/meminfo"), group: Path = _CGROUP) -> int | None:
    """Return the bytes that are free on the machine, and in the container where that has fewer."""
    try:
        lines = dict(line.split(":", 1) for line in proc.read_text("ascii").splitlines())
        free = int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError, IndexError):
        return None
    try:
        most = (group / "memory.max").read_text("ascii").strip()
        used = int((group / "memory.current").read_text("ascii"))
        return free if most == _UNLIMITED else min(free, int(most) - used)
    except (OSError, ValueError):
        return free
