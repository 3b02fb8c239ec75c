"""The servers under test, and what is known of each as data."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from benchmarks.kit import postgres_cluster
from benchmarks.kit.free_ports import free_port
from parley.server.options import EmbeddedOptions
from parley.server.storage.interface import PostgresPlace
from parley.server.tcp_server import serve
from tests.conformance.served.graphs import NAMES
from tests.kit.bounded_process import BoundedProcess
from tests.kit.checkout import OFFICIAL_VENV
from tests.kit.engine import CHOSEN, Engine
from tests.kit.machine import patience

_ROOT = Path(__file__).parents[2]
_GRAPHS = Path(__file__).parent / "served" / "graphs.py"
_PATIENCE = patience(30.0)
_KEYS = (
    "LANGSMITH_API_KEY",
    "LANGCHAIN_API_KEY",
    "LANGGRAPH_API_KEY",
    "LANGSMITH_CONTROL_PLANE_API_KEY",
    "LANGGRAPH_CLOUD_LICENSE_KEY",
)
_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "1",
    "LANGSMITH_TRACING": "false",
    "LOG_COLOR": "false",
}

KEY = "a-key-of-the-tests"


@dataclass(frozen=True)
class Capabilities:
    """Where servers differ and both are right."""

    emits_end: bool
    """The stream's last event is `end`, with the run's status."""
    exact_ids: bool
    """Event ids are unique and grow, so that joining after one gives exactly what followed."""
    numbers_every_run: bool
    """Events have ids also where the run was not made resumable."""
    assistants_by_name: bool
    """`assistants.get` takes a graph's name for its assistant's id."""
    runs_older_versions: bool
    """A run of an assistant uses the version that was put in effect, also where that is not the newest."""
    streams_checkpoints: bool
    """The stream mode `checkpoints` has events."""


EMBEDDED = Capabilities(
    emits_end=True,
    exact_ids=True,
    numbers_every_run=True,
    assistants_by_name=True,
    runs_older_versions=True,
    streams_checkpoints=True,
)
OFFICIAL = Capabilities(
    emits_end=False,
    exact_ids=False,
    numbers_every_run=False,
    assistants_by_name=False,
    runs_older_versions=False,
    streams_checkpoints=False,
)


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    url: str
    can: Capabilities
    key: str | None = None


@contextmanager
def embedded(folder: Path, origins: Sequence[str] = (), engine: Engine | None = None) -> Iterator[Server]:
    """Our own, in a process of its own, on an engine; pages of these origins may use it."""
    url = (engine or CHOSEN.engine()).section(folder).get("url", "")
    command = [sys.executable, "-m", "tests.conformance.servers", str(folder / "agent.sqlite"), url, *origins]
    with BoundedProcess(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip(), EMBEDDED, KEY)
        finally:
            process.terminate()


@contextmanager
def official(folder: Path, auth: Path | None = None) -> Iterator[Server]:
    """LangGraph's development server, with these graphs; `auth` is a file with an authentication handler."""
    graphs = {name: f"{_GRAPHS}:{name}" for name in NAMES}
    project = {
        "dependencies": ["."],
        "graphs": graphs,
        **({"auth": {"path": f"{auth}:auth"}} if auth else {}),
    }
    (folder / "langgraph.json").write_text(json.dumps(project))
    with development_server(folder) as url:
        yield Server(url, OFFICIAL)


@contextmanager
def development_server(folder: Path) -> Iterator[str]:
    """LangGraph's development server for a folder's langgraph.json, without telemetry and without any key."""
    program = OFFICIAL_VENV / "bin" / "langgraph"
    assert program.exists(), f"install requirements/conformance.txt into {OFFICIAL_VENV} first"
    port = free_port()
    command = [
        str(program),
        "dev",
        "--no-browser",
        "--no-reload",
        "--n-jobs-per-worker",
        "20",
        "--port",
        str(port),
    ]
    environment = {key: value for key, value in os.environ.items() if key not in _KEYS} | _QUIET
    environment["PYTHONPATH"] = str(_ROOT)  # graphs of several modules
    with (
        (folder / "log").open("w") as log,
        BoundedProcess[bytes](command, cwd=folder, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            yield _answering(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()


@contextmanager
def aegra(folder: Path) -> Iterator[str]:
    """Aegra for a folder's langgraph.json, on a PostgreSQL of its own."""
    python, port = OFFICIAL_VENV / "bin" / "python", free_port()
    command = [str(python), "-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1", "--port", str(port)]
    with postgres_cluster.running() as cluster, (folder / "log").open("w") as log:
        with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
            admin.execute("CREATE DATABASE aegra")
        environment = {key: value for key, value in os.environ.items() if key not in _KEYS} | _QUIET
        environment |= {"PYTHONPATH": str(_ROOT), "AEGRA_CONFIG": str(folder / "langgraph.json")}
        environment["DATABASE_URL"] = cluster.url_of("postgres", "secret", "aegra")
        with BoundedProcess[bytes](command, cwd=folder, env=environment, stdout=log, stderr=log) as process:
            try:
                yield _answering(f"http://127.0.0.1:{port}", process, "health")
            finally:
                process.terminate()


def _answering(url: str, process: subprocess.Popen[bytes], sign: str = "ok") -> str:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server stopped; see its log"
        try:
            if httpx.get(f"{url}/{sign}", timeout=_PATIENCE).is_success:
                return url
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server does not answer where it was told to")


def _say(url: str) -> None:
    print(url, flush=True)


if __name__ == "__main__":
    OPTIONS = EmbeddedOptions(
        Path(sys.argv[1]),
        {name: f"{_GRAPHS}:{name}" for name in NAMES},
        api_key=KEY,
        cors_origins=tuple(sys.argv[3:]),
        postgres=PostgresPlace(sys.argv[2]) if sys.argv[2] else None,
    )
    asyncio.run(serve(OPTIONS, "127.0.0.1", 0, _say))
