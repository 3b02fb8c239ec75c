"""A pooler in transaction mode in front of a cluster: Debian's pgbouncer."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit.free_ports import free_port
from benchmarks.kit.postgres_cluster import Cluster, stepping_down
from tests.kit.machine import patience

_INI = """\
[databases]
parley = host=127.0.0.1 port={server} dbname=parley user=postgres password=secret

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 100
server_login_retry = 1
"""
_SETTINGS = "pgbouncer.ini"
_PATIENCE = patience(20.0)  # seconds until it takes connections


@dataclass
class Pooler:
    """`url` is the database's address through it; a transaction may go to another session than the last."""

    port: int
    folder: Path
    _running: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"postgresql://parley@127.0.0.1:{self.port}/parley"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
        assert program is not None
        command = [*stepping_down(), program, str(self.folder / _SETTINGS)]
        with (self.folder / "log").open("a") as log:
            self._running = subprocess.Popen(command, cwd="/", stderr=log)
        _wait(self.port, self._running)

    def stop(self) -> None:
        """End it, with all connections through it."""
        if self._running is not None:
            self._running.kill()
            self._running.wait(_PATIENCE)


@contextmanager
def pooler(cluster: Cluster) -> Iterator[Pooler]:
    """A pooler that may be stopped and started again."""
    folder, port = Path(tempfile.mkdtemp(prefix="parley-pooler-")), free_port()
    settings = folder / _SETTINGS
    settings.write_text(_INI.format(server=cluster.port, port=port))
    if os.getuid() == 0:
        for path in (folder, settings):
            shutil.chown(path, "postgres", "postgres")
    made = Pooler(port, folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def pooled(cluster: Cluster) -> Iterator[str]:
    """The database's address through a pooler."""
    with pooler(cluster) as made:
        yield made.url


def is_installed() -> bool:
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is not None


def _wait(port: int, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and running.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise AssertionError("pgbouncer did not start")
