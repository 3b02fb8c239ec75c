"""Records what a Parley of today's schema leaves behind, before a step is added to the schema.

`python -m tests.e2e.upgrade.record sqlite` or `... postgres`; see the module earlier for what it does.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import httpx
import psycopg

from benchmarks.kit import postgres_cluster
from benchmarks.kit.free_ports import free_port
from parley.store.postgres.database import schema as postgres_schema
from parley.store.sqlite.database import schema as sqlite_schema
from tests.e2e.upgrade.earlier import CONFIG, STORES
from tests.kit.product.process import Config, Process, way_in
from tests.kit.waiting import until


def main() -> None:
    """Write the two dumps of the engine that is named."""
    engine = sys.argv[1] if len(sys.argv) == 2 else ""
    with tempfile.TemporaryDirectory() as folder:
        if engine == "sqlite":
            _record(Path(folder), {}, f"sqlite-{len(sqlite_schema.STEPS)}")
            _dump_sqlite(Path(folder) / "data" / "parley.db", f"sqlite-{len(sqlite_schema.STEPS)}.parley.sql")
        elif engine == "postgres":
            _record_postgres(Path(folder), f"postgres-{len(postgres_schema.STEPS)}")
        else:
            sys.exit(__doc__)


def _record_postgres(folder: Path, name: str) -> None:
    with postgres_cluster.running() as cluster:
        admin = cluster.url_of("postgres", "secret", "postgres")
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute("CREATE DATABASE parley")
        _record(folder, {"store": {"url": cluster.url}}, name)
        dump = subprocess.run(
            [
                postgres_cluster.binaries() / "pg_dump",
                "--inserts",
                "--schema=parley",
                "--no-owner",
                cluster.url,
            ],
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
    # Without comments, blank lines and what only this version of the program knows.
    kept = re.sub(
        r"^(--.*|\\(un)?restrict .*|SET default_.*|SET row_security.*|)\n", "", dump, flags=re.MULTILINE
    )
    (STORES / f"{name}.parley.sql").write_text(kept, "utf-8")


def _record(folder: Path, store: Config, name: str) -> None:
    """Let a Parley answer a message, begin on the next, take one elsewhere, and kill it."""
    process = Process(folder, {**CONFIG, "console": {"port": free_port()}, **store}, ("run",))
    process.spawn()
    try:
        _talk(process)
    finally:
        process.kill()
    _dump_sqlite(folder / "data" / "agent.db", f"{name}.agent.sql")


def _talk(process: Process) -> None:
    with httpx.Client(**way_in(process.wait_until_up())) as client:

        def say(chat: str, message: str, text: str) -> None:
            path = f"/api/chat/conversations/{chat}/messages"
            client.post(path, json={"id": message, "text": text}).raise_for_status()

        def wait_for(chat: str, field: str, number: int) -> None:
            path = f"/api/chat/conversations/{chat}/messages"
            _wait(lambda: len(client.get(path).json()[field]) >= number, f"{number} {field} in {chat}")

        say("from-before", "message-0001", "My name is Ada and I like tea.")
        wait_for("from-before", "entries", 2)
        say("from-before", "message-0002", "Write a long document about tea")
        say("waiting-chat", "message-0003", "What time is it?")
        wait_for("from-before", "growing", 1)


def _dump_sqlite(path: Path, name: str) -> None:
    connection = sqlite3.connect(path)
    # SQLite before 3.41 writes infinity as a name that it cannot read again.
    lines = [f"{line.replace(',Inf,', ',9e999,')}\n" for line in connection.iterdump()]
    (STORES / name).write_text("".join(lines), "utf-8")
    connection.close()


def _wait(holds: Callable[[], object], what: str) -> None:
    asyncio.run(until(holds, what, 60))


if __name__ == "__main__":
    main()
