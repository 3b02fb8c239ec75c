"""Ports of this machine that no two processes of tests are given, whatever runs at the same time."""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_PORTS = range(20_000, 32_000)
"""Below those that the kernel gives out: a port is still free while the process behind it starts again."""

_given: set[int] = set()


def free_port() -> int:
    """A port that nobody uses, this process's own until it ends: a slow start may bind it late."""
    while True:
        port = random.choice(_PORTS)
        with suppress(OSError):
            if port not in _given and _is_free(port):
                _given.add(port)
                return port


def _is_free(port: int) -> bool:
    """Lock the byte of the port in a file that all share, and try it; raise OSError if another has either."""
    fcntl.lockf(_reserved(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    with socket.create_server(("127.0.0.1", port)):
        return True


@cache
def _reserved() -> int:
    """The file of locks. It stays open: closing it once would end all locks of this process."""
    path = Path(tempfile.gettempdir()) / "parley-tests.ports"
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    with suppress(OSError):  # another user's
        path.chmod(0o666)
    return file
