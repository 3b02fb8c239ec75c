"""Takes from this process, for good, what a reader of strangers' files has no use for.

Linux does it: resource limits, no capabilities, Landlock for files and ports, and a filter of system calls
(seccomp). A process without privileges may ask for all of these. What a kernel lacks is left out, and named;
other systems have the resource limits only. Nothing of Parley is imported (sandbox_main.py).

The numbers are those of the kernel's headers: linux/prctl.h, linux/landlock.h, linux/filter.h, asm/unistd.h.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_OPEN_FILES = 32
_PDEATHSIG, _SECCOMP, _NO_NEW_PRIVS = 1, 22, 38
_CAPABILITY_VERSION = 0x20080522

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
# Where the libraries of libraries are, which an import may load yet.
_SHARED = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")

# AUDIT_ARCH, the column of _REFUSED, and the calls that open a file, each with the place of its flags.
_MACHINES = {
    "x86_64": (0xC000003E, 1, ((2, 1), (257, 2))),
    "aarch64": (0xC00000B7, 2, ((56, 2),)),
}
# Calls that are refused: name, number on x86_64, number on aarch64 (where older calls do not exist).
_REFUSED = """
socket 41 198, socketpair 53 199, connect 42 203, bind 49 200, listen 50 201, accept 43 202,
accept4 288 242, execve 59 221, execveat 322 281, fork 57 -, vfork 58 -, clone 56 220, clone3 435 435,
kill 62 129, tkill 200 130, tgkill 234 131, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
pidfd_open 434 434, pidfd_getfd 438 438, pidfd_send_signal 424 424, ptrace 101 117,
process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, process_madvise 440 440,
prlimit64 302 261, setpriority 141 140, sched_setaffinity 203 122, sched_setscheduler 144 119,
sched_setattr 314 274, ioprio_set 251 30, io_uring_setup 425 425, io_uring_enter 426 426,
io_uring_register 427 427, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, add_key 248 217,
request_key 249 218, keyctl 250 219, memfd_create 319 279, memfd_secret 447 447, shmget 29 194,
shmat 30 196, shmctl 31 195, msgget 68 186, semget 64 190, mq_open 240 180, mount 165 40, umount2 166 39,
pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268, open_tree 428 428, move_mount 429 429,
fsopen 430 430, mount_setattr 442 442, openat2 437 437, open_by_handle_at 304 265, creat 85 -,
truncate 76 45, ftruncate 77 46, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -,
mkdirat 258 34, rmdir 84 -, unlink 87 -, unlinkat 263 35, link 86 -, linkat 265 37, symlink 88 -,
symlinkat 266 36, mknod 133 -, mknodat 259 33, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452,
chown 92 -, fchown 93 55, lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, utimensat 280 88,
futimesat 261 -, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14, lremovexattr 198 15,
fremovexattr 199 16
"""
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 1  # EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # places in struct seccomp_data
_X32 = 0x40000000
_WRITES = 0o3 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC


class ProtectionMissing(Exception):
    """The system has no such protection; the argument says which."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def limit(memory: int, seconds: int) -> None:
    """Bound what this process may use: bytes of address space, and seconds of processor time.

    It also becomes the first that a kernel without memory ends, and ends with the process that started it.
    """
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_AS: memory,
    }
    for name, most in bounds.items():
        with suppress(OSError, ValueError):  # a lower limit holds already, or the system knows none
            resource.setrlimit(name, (most, most))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    with suppress(ProtectionMissing):
        _control("an end with the parent", _PDEATHSIG, signal.SIGKILL)


def confine(folders: Iterable[str]) -> list[str]:
    """Keep this process from files outside `folders`, the network, programs and other processes.

    Open files stay open. Returns the names of what this system cannot do. There may be one thread only.
    """
    missing = []
    steps: tuple[Callable[[], None], ...] = (
        _drop_privileges,
        lambda: _restrict_files([*folders, *_SHARED]),
        _filter_calls,
    )
    for step in steps:
        try:
            step()
        except ProtectionMissing as error:
            missing.append(str(error))
    return missing


def _drop_privileges() -> None:
    """No program started from here gains a privilege, and this process, if it is root's, has none left."""
    _control("no_new_privs", _NO_NEW_PRIVS, 1)
    if _function("capset")(struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24)):
        raise ProtectionMissing("capset")


def _restrict_files(readable: Iterable[str]) -> None:
    """Landlock: nothing is written, only what is named is read, and no port or process outside is reached."""
    syscall = _function("syscall")
    version = syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    if version < 1:
        raise ProtectionMissing("Landlock")
    files = (1 << 13 + (version >= 2) + (version >= 3) + (version >= 5)) - 1
    rights = struct.pack("QQQ", files, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = syscall(_CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), 0)
    for path in readable:
        with suppress(OSError):  # what is not there cannot be read
            _let_read(syscall, ruleset, path)
    if ruleset < 0 or syscall(_RESTRICT_SELF, ruleset, 0):
        raise ProtectionMissing("Landlock")
    os.close(ruleset)


def _let_read(syscall: Callable[..., int], ruleset: int, path: str) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rights = _READ_FILE | (_READ_FOLDER if Path(path).is_dir() else 0)
    syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    os.close(opened)


def _filter_calls() -> None:
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise ProtectionMissing(f"a filter of system calls on {machine}")
    code = b"".join(struct.pack("HBBI", *each) for each in _instructions(machine))
    program = _Program(len(code) // 8, code)
    _control("a filter of system calls", _SECCOMP, 2, ctypes.addressof(program))


def _instructions(machine: str) -> list[tuple[int, int, int, int]]:
    """A program for the kernel's BPF machine: what to do, two places to jump to, and a value."""
    architecture, column, openings = _MACHINES[machine]
    calls = [each.split()[column] for each in _REFUSED.split(",")]
    numbers = [int(each) for each in calls if each != "-"]
    allow, refuse, kill = ((_RETURN, 0, 0, value) for value in (_ALLOW, _REFUSE, _KILL))
    program = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), kill, (_LOAD, 0, 0, _NUMBER)]
    program += [(_AT_LEAST, 0, 1, _X32), refuse]
    for number, place in openings:
        flags = (_LOAD, 0, 0, _ARGUMENTS + 8 * place)
        program += [(_EQUAL, 0, 4, number), flags, (_ANY_BIT, 0, 1, _WRITES), refuse, allow]
    program += [(_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    return [*program, allow, refuse]


def _control(name: str, option: int, *values: int) -> None:
    """Call prctl. Raises ProtectionMissing with the name of what was asked for."""
    given = [ctypes.c_ulong(each) for each in (*values, 0, 0, 0, 0)[:4]]
    if _function("prctl")(option, *given):
        raise ProtectionMissing(name)


def _function(name: str) -> Callable[..., int]:
    """A function of the C library, on Linux. Raises ProtectionMissing."""
    found: Callable[..., int] | None = None
    if os.uname().sysname == "Linux":
        found = getattr(ctypes.CDLL(None), name, None)
    if found is None:
        raise ProtectionMissing(f"{name} (only Linux has it)")
    return found
