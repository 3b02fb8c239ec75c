"""A network of a process's own, which loses packets without a word, and ways that hold what is sent."""

from __future__ import annotations

import asyncio
import ctypes
import functools
import os
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.kit.bounded_process import BoundedProcess

WARNING = "no packets are lost: network namespaces need root, and Debian's iproute2"
_HOST = "127.0.0.1"
_UP = "ip link set lo up && echo up && exec sleep infinity"
# A queue with room for nothing: each packet is dropped, and nobody is told.
_LOSSES = ("dev", "lo", "root", "pfifo", "limit", "0")
_CLONE_NEWNET = 0x40000000  # <linux/sched.h>


@dataclass(frozen=True, slots=True)
class Network:
    """A network namespace with 127.0.0.1 alone; `_inside` is a thread in it, which makes sockets there."""

    path: Path
    _inside: ThreadPoolExecutor

    @property
    def prefix(self) -> tuple[str, ...]:
        """Return what to put in front of a command that runs in it."""
        return ("nsenter", f"--net={self.path}")

    def listener(self, port: int) -> socket.socket:
        """Return a socket that listens in it."""
        return self._inside.submit(socket.create_server, (_HOST, port)).result()

    async def connect(self, port: int) -> socket.socket:
        """Return a connection to a port in it. Raises OSError."""
        made = self._inside.submit(socket.socket).result()
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, (_HOST, port))
        except BaseException:
            made.close()
            raise
        return made

    def lose(self) -> None:
        """Lose all packets from now on."""
        self._run("tc", "qdisc", "add", *_LOSSES)

    def heal(self) -> None:
        """Lose none any more."""
        self._run("tc", "qdisc", "del", *_LOSSES[:3])

    def _run(self, *command: str) -> None:
        subprocess.run([*self.prefix, *command], check=True)


@contextmanager
def own_network() -> Iterator[Network | None]:
    """Open a network that ends with the block; None where nobody may."""
    if not is_possible():
        yield None
        return
    command = ["unshare", "--net", "sh", "-c", _UP]
    with BoundedProcess(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "up\n"
        path = Path(f"/proc/{holder.pid}/ns/net")
        with ThreadPoolExecutor(1, initializer=_enter, initargs=(path,)) as inside:
            yield Network(path, inside)
        holder.kill()


@functools.cache
def is_possible() -> bool:
    """Return whether this machine lets us."""
    if os.getuid() != 0:
        return False
    trial = f"ip link set lo up && tc qdisc add {' '.join(_LOSSES)}"
    try:
        ended = subprocess.run(["unshare", "--net", "sh", "-c", trial], capture_output=True, check=False)
    except OSError:
        return False
    return ended.returncode == 0


def _enter(path: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    with path.open("rb") as namespace:
        if libc.setns(namespace.fileno(), _CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class Gate:
    """Whether what is sent arrives at once, or is held until later; nobody can tell."""

    def __init__(self) -> None:
        self.is_open = True
        self._held: list[Callable[[], None]] = []

    def hold(self) -> None:
        """Let nothing arrive from now on."""
        self.is_open = False

    def release(self) -> None:
        """Let everything arrive that was held, and what comes."""
        self.is_open = True
        held, self._held = self._held, []
        for deliver in held:
            deliver()

    def when_open(self, deliver: Callable[[], None]) -> None:
        """Have this called once it is open."""
        self._held.append(deliver)


@dataclass(frozen=True, slots=True)
class NodeNetwork:
    """A node's ways to the platforms and the agent (`outside`), and to the database."""

    network: Network | None
    outside: Gate = field(default_factory=Gate)
    database: Gate = field(default_factory=Gate)

    @property
    def gates(self) -> Sequence[Gate]:
        """Return all of them."""
        return (self.outside, self.database)
