"""A private PostgreSQL: a cluster of its own on a free port, in a temporary folder, with fsync on."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit.free_ports import free_port

MOST_CONNECTIONS = 40
_PATIENCE = 300
"""Seconds for a server to start or stop, however busy the machine is; one that cannot says so at once."""
OPTIONS = (
    *("-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="),
    *("-c", "fsync=on", "-c", f"max_connections={MOST_CONNECTIONS}", "-c", "lc_messages=C"),
)


@dataclass(frozen=True, slots=True)
class Cluster:
    """`url` is the superuser's; `stop` and `start` keep the port and the data."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return self.url_of("postgres", "secret", "parley")

    def url_of(self, user: str, password: str, database: str) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        options = " ".join([*OPTIONS, "-p", str(self.port)])
        log = str(self.folder / "log")
        run(
            "pg_ctl",
            "start",
            "-w",
            "-t",
            str(_PATIENCE),
            "-D",
            str(self.folder / "data"),
            "-l",
            log,
            "-o",
            options,
        )

    def signal(self, number: int) -> None:
        """Send a signal to all processes of the server: SIGSTOP has it stand still."""
        (leader, *_) = (self.folder / "data" / "postmaster.pid").read_text().split()
        others = Path(f"/proc/{leader}/task/{leader}/children").read_text().split()
        for each in (leader, *others):
            os.kill(int(each), number)

    def is_running(self) -> bool:
        """Return whether there is a server, starting or serving."""
        try:
            run("pg_ctl", "status", "-D", str(self.folder / "data"))
        except subprocess.CalledProcessError:
            return False
        return True

    def stop(self, mode: str = "fast") -> None:
        run("pg_ctl", "stop", "-w", "-t", str(_PATIENCE), "-D", str(self.folder / "data"), "-m", mode)


def _as_it_is(folder: Path) -> None:
    """Leave the folder of the data as it is."""


@contextmanager
def running(prepare: Callable[[Path], None] = _as_it_is) -> Iterator[Cluster]:
    """A fresh cluster; `prepare` is called with the folder of its data, which is empty."""
    folder = Path(tempfile.mkdtemp(prefix="parley-postgres-"))
    try:
        cluster = Cluster(folder, free_port())
        password, data = folder / "password", folder / "data"
        password.write_text("secret")
        data.mkdir()
        prepare(data)
        if os.getuid() == 0:
            for path in (folder, password, data):
                shutil.chown(path, "postgres", "postgres")
        run(
            *("initdb", "-D", str(folder / "data"), "-U", "postgres", "--auth=scram-sha-256"),
            *(f"--pwfile={password}", "--encoding=UTF8", "--locale=C"),
        )
        with (folder / "data" / "pg_hba.conf").open("r+") as rules:  # its tests open many
            text = rules.read()
            rules.seek(0)
            rules.write("host all postgres 127.0.0.1/32 trust\n" + text)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(program: str, *arguments: str) -> None:
    """Run a server program; root, whom PostgreSQL refuses, hands over to the user of Debian's package."""
    subprocess.run(
        [*stepping_down(), str(binaries() / program), *arguments],
        check=True,
        cwd="/",
        timeout=_PATIENCE + 5,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def stepping_down() -> Sequence[str]:
    if os.getuid() != 0:
        return ()
    user = pwd.getpwnam("postgres")
    return ("setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups")


def binaries() -> Path:
    """The programs of the server that `PARLEY_TEST_POSTGRES` names, or of the newest: Debian hides them."""
    if chosen := os.environ.get("PARLEY_TEST_POSTGRES"):
        return Path(chosen)
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    assert initdb is not None, 'no PostgreSQL server is installed: Debian\'s package is "postgresql"'
    return Path(initdb).parent
