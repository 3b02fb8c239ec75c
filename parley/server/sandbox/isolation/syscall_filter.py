"""A filter of system calls (seccomp) for commands: what programs do without, and what escapes limits.

Memory that belongs to no process (memfd, System V) would not be counted. The rest are parts of the kernel
that programs in a chat have no use for. The numbers are those of the kernel's asm/unistd.h.
"""

from __future__ import annotations

import errno
import os
import struct

from parley.core.model.types import Json
from parley.server.sandbox.limits import SandboxFailed

_ARCHITECTURES = {"x86_64": (0xC000003E, 1), "aarch64": (0xC00000B7, 2)}
"""AUDIT_ARCH, and the column of the numbers."""
_SECCOMP_NAMES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_REFUSED = """
memfd_create 319 279, memfd_secret 447 447, shmget 29 194, shmat 30 196, msgget 68 186, semget 64 190,
mq_open 240 180, ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, pidfd_getfd 438 438,
bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, io_uring_setup 425 425, io_uring_enter 426 426,
io_uring_register 427 427, add_key 248 217, request_key 249 218, keyctl 250 219, mount 165 40, umount2 166 39,
pivot_root 155 41, chroot 161 51, unshare 272 97, setns 308 268, open_tree 428 428, move_mount 429 429,
fsopen 430 430, fsmount 432 432, mount_setattr 442 442, open_by_handle_at 304 265, kexec_load 246 104,
init_module 175 105, finit_module 313 273, swapon 167 224, quotactl 179 60, acct 163 89, syslog 103 116
"""
_IOCTL = {"x86_64": 16, "aarch64": 29}
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI types into a terminal, TIOCLINUX pastes into a console."""
_LOW_WORD = 0xFFFFFFFF
_NEW_USER = 0x10000000  # CLONE_NEWUSER
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _KILL, _REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 1  # EPERM
_NUMBER, _ARCHITECTURE, _SECOND_ARGUMENT = 0, 4, 24  # places in struct seccomp_data
_X32 = 0x40000000


def syscall_filter() -> bytes:
    """Return the program for the kernel's BPF machine. Raises SandboxFailed for an unknown processor."""
    return b"".join(struct.pack("HBBI", *each) for each in _instructions(_machine()))


def seccomp_profile() -> dict[str, Json]:
    """Return the same as the runtime specification of containers has it, without further user namespaces.

    Raises SandboxFailed for an unknown processor.
    """
    machine = _machine()
    typing = [_on_argument("ioctl", 1, _LOW_WORD, request) for request in _TERMINAL_INPUT]
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "architectures": [_SECCOMP_NAMES[machine]],
        "syscalls": [
            {"names": [*refused_calls(machine)], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM},
            _on_argument("clone", 0, _NEW_USER, _NEW_USER),
            # Its flags lie in memory, where no filter looks; libraries then take the older call.
            {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
            *typing,
        ],
    }


def _on_argument(call: str, index: int, mask: int, value: int) -> Json:
    """Return a rule that refuses a call whose argument has this value where the mask has bits."""
    test: Json = {"index": index, "value": mask, "valueTwo": value, "op": "SCMP_CMP_MASKED_EQ"}
    return {"names": [call], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM, "args": [test]}


def _machine() -> str:
    machine = os.uname().machine
    if machine not in _ARCHITECTURES:
        raise SandboxFailed(f"there is no filter of system calls for {machine}")
    return machine


def refused_calls(machine: str) -> dict[str, int]:
    """Return the numbers of the calls that are refused, by their names."""
    column = _ARCHITECTURES[machine][1]
    rows = [each.split() for each in _REFUSED.split(",")]
    return {row[0]: int(row[column]) for row in rows}


def _instructions(machine: str) -> list[tuple[int, int, int, int]]:
    """What to do, two places to jump to, and a value."""
    numbers = [*refused_calls(machine).values()]
    allow, refuse, kill = ((_RETURN, 0, 0, value) for value in (_ALLOW, _REFUSE, _KILL))
    program = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, _ARCHITECTURES[machine][0]), kill]
    program += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _X32), refuse]
    program += [(_EQUAL, 0, 5, _IOCTL[machine]), (_LOAD, 0, 0, _SECOND_ARGUMENT)]
    program += [(_EQUAL, 2 - at, 0, request) for at, request in enumerate(_TERMINAL_INPUT)]
    program += [allow, refuse]
    program += [(_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    return [*program, allow, refuse]
