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
"""
_PATIENCE = patience(20.0)  # seconds until it takes connections


@contextmanager
def pooled(cluster: Cluster) -> Iterator[str]:
    """The database's address through it; every transaction may go to another session of the server."""
    folder = Path(tempfile.mkdtemp(prefix="parley-pooler-"))
    port = free_port()
    settings = folder / "pgbouncer.ini"
    settings.write_text(_INI.format(server=cluster.port, port=port))
    if os.getuid() == 0:
        for path in (folder, settings):
            shutil.chown(path, "postgres", "postgres")
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert program is not None
    with (folder / "log").open("w") as log:
        running = subprocess.Popen([*stepping_down(), program, str(settings)], cwd="/", stderr=log)
    try:
        _wait(port, running)
        yield f"postgresql://parley@127.0.0.1:{port}/parley"
    finally:
        running.terminate()
        running.wait(_PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def is_installed() -> bool:
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin") is not None


def _wait(port: int, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and running.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.02)
    raise AssertionError("pgbouncer did not start")
