"""What `parley doctor` says of a real PostgreSQL: that it is well, and what can be wrong with it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import MOST_CONNECTIONS, Cluster
from parley.app.cli.main import main
from parley.app.doctor.context import DoctorContext, RunningState
from parley.app.doctor.result import CheckResult, ProbeStatus
from parley.app.doctor.store import probe_the_store, probe_waiting_work
from parley.app.settings.load import read_settings
from parley.core.model.queues import turn_queue
from parley.core.ports.journal import NewQueueItem
from parley.store.postgres import PostgresStore
from parley.store.postgres.database.connection import connect, parse_location
from parley.store.postgres.database.schema import STEPS, migrate
from tests.kit.samples.certificates import ServerCertificate
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]
OK, REMARK, FAILED = ProbeStatus.OK, ProbeStatus.REMARK, ProbeStatus.FAILED
NAMES = ["write", "schema", "durability", "lock", "nodes", "tls", "log", "clock"]
databases = count()


@pytest.fixture
def admin(cluster: Cluster) -> Iterator[psycopg.Connection]:
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        yield connection


@pytest.fixture
def database(admin: psycopg.Connection) -> str:
    """A new one, with the name of its own."""
    name = f"doctor{next(databases)}"
    admin.execute(f"CREATE DATABASE {name}")
    return name


@pytest.fixture
def url(cluster: Cluster, database: str) -> str:
    return cluster.url_of("postgres", "secret", database)


async def examine(
    folder: Path,
    url: str,
    *,
    clock: Callable[[], float] = time.time,
    running: RunningState | None = None,
) -> dict[str, CheckResult]:
    """What the probes of the store find there, by the last part of their names."""
    text = f"store: {{url: {json.dumps(url)}}}\nagent: {{url: 'http://127.0.0.1:9'}}"
    context = DoctorContext(read_settings(text, "config.yaml", {}, folder), running, clock)
    found = {each.name.removeprefix("store."): each async for each in probe_the_store(context)}
    assert "secret" not in repr(found)
    return found


async def test_what_waits_is_named_while_no_parley_runs(
    tmp_path: Path, url: str, admin: psycopg.Connection
) -> None:
    text = f"store: {{url: {json.dumps(url)}}}\nagent: {{url: 'http://127.0.0.1:9'}}"
    context = DoctorContext(read_settings(text, "config.yaml", {}, tmp_path))
    assert [each async for each in probe_waiting_work(context)] == [], "there are no tables yet"
    async with PostgresStore.open(url) as store:
        await store.put(*(NewQueueItem(turn_queue("support"), f"support:{n}", "{}") for n in range(3)))
        for claim in await store.claim(turn_queue("support"), 1):
            await store.done(claim, claim.items)
    (found,) = [each async for each in probe_waiting_work(context)]
    assert found.text.endswith("support (2)")


async def find_failure(folder: Path, url: str) -> CheckResult:
    """The only thing that is found: nothing else is tried where the database cannot be used."""
    (found,) = (await examine(folder, url)).values()
    assert (found.name, found.status, found.place) == ("store.write", FAILED, "store.url")
    assert found.remedy
    return found


@contextmanager
def guest(admin: psycopg.Connection) -> Iterator[str]:
    """A user without rights."""
    name = f"guest{next(databases)}"
    admin.execute(f"CREATE USER {name} PASSWORD 'secret'")
    yield name
    admin.execute(f"DROP USER {name}")


async def test_a_database_that_is_well_takes_a_synced_write_and_keeps_nothing_of_it(
    tmp_path: Path, url: str
) -> None:
    async with PostgresStore.open(url, node="here") as store:
        await store.nodes.renew()
        before = written_bytes(url)
        found = await examine(tmp_path, url, running=RunningState())
        assert written_bytes(url) > before
    assert [*found] == NAMES
    assert not_well(found) == set(), found
    assert "took a synced write in" in found["write"].text
    assert "read back in" in found["write"].text
    assert found["schema"].text == f"schema {len(STEPS)} is current"
    assert found["nodes"].text == "no other Parley works on this database"
    with psycopg.connect(url) as look:
        assert look.execute("SELECT count(*) FROM parley.documents").fetchone() == (0,)


def written_bytes(url: str) -> int:
    """How far the server's log of writes is on its disk."""
    with psycopg.connect(url) as look:
        row = look.execute("SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::int8").fetchone()
    assert row
    return int(row[0])


async def test_a_new_database_is_written_to_without_making_tables(tmp_path: Path, url: str) -> None:
    before = written_bytes(url)
    found = await examine(tmp_path, url)
    assert written_bytes(url) > before
    assert not_well(found) == set(), found
    assert "took a synced write in" in found["write"].text
    assert "`parley run` makes schema" in found["schema"].text
    with psycopg.connect(url) as look:
        assert look.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'parley'").fetchall() == []


async def test_an_older_schema_is_told_and_left_as_it_is(tmp_path: Path, url: str) -> None:
    async with await connect(parse_location(url, "parley")) as connection:
        await migrate(connection, "parley", STEPS[:-1])
        found = await examine(tmp_path, url)
        rows = await (await connection.execute("SELECT schema_version FROM parley.meta")).fetchone()
    assert rows == (len(STEPS) - 1,)
    assert found["write"].status is not FAILED
    assert found["schema"].status is REMARK
    assert f"schema {len(STEPS) - 1} is older than {len(STEPS)}" in found["schema"].text
    assert "make a backup" in found["schema"].remedy


async def test_a_newer_schema_is_a_failure(tmp_path: Path, url: str) -> None:
    async with PostgresStore.open(url):
        pass
    with psycopg.connect(url, autocommit=True) as newer:
        newer.execute("UPDATE parley.meta SET schema_version = 99")
    found = await find_failure(tmp_path, url)
    assert "newer Parley (schema 99" in found.text
    assert found.remedy.startswith("update Parley")


async def test_nodes_that_share_it_are_named(tmp_path: Path, url: str) -> None:
    async with (
        PostgresStore.open(url, node="first") as first,
        PostgresStore.open(url, node="second") as second,
    ):
        await first.nodes.renew()
        await second.nodes.renew()
        found = (await examine(tmp_path, url))["nodes"]
        here = (await examine(tmp_path, url, running=RunningState()))["nodes"]
    assert (found.status, here.status) == (REMARK, OK)
    for each in (found, here):
        assert "2 nodes of Parley work on this database: first, second" in each.text
    assert "another bot needs another database" in found.remedy


@pytest.mark.parametrize(("late", "status"), [(0.0, OK), (-12.0, REMARK), (400.0, FAILED)])
async def test_its_clock_is_compared(tmp_path: Path, url: str, late: float, status: ProbeStatus) -> None:
    found = (await examine(tmp_path, url, clock=lambda: time.time() + late))["clock"]
    assert found.status is status
    if late:
        assert f"{'ahead of' if late > 0 else 'behind'} that of the database" in found.text
        assert "timedatectl" in found.remedy


async def test_sessions_that_wait_for_a_lock_are_counted(tmp_path: Path, url: str) -> None:
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as waiter:
        holder.execute("SELECT pg_advisory_xact_lock(1)")
        waiting = asyncio.create_task(asyncio.to_thread(waiter.execute, "SELECT pg_advisory_lock(1)"))
        try:
            await until(lambda: waits(url), "one waits")
            found = (await examine(tmp_path, url))["lock"]
        finally:
            holder.rollback()
            await waiting
    assert found.status is REMARK
    assert "1 sessions of the server wait for locks" in found.text


def waits(url: str) -> bool:
    with psycopg.connect(url) as look:
        return look.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone() is not None


async def test_a_server_that_does_not_sync_is_a_failure(
    tmp_path: Path, url: str, database: str, admin: psycopg.Connection
) -> None:
    admin.execute(f"ALTER DATABASE {database} SET synchronous_commit = off")
    found = (await examine(tmp_path, url))["durability"]
    assert found.status is FAILED
    assert "synchronous_commit = off" in found.text
    assert "synchronous_commit = on" in found.remedy


async def test_a_read_only_database_is_named(
    tmp_path: Path, url: str, database: str, admin: psycopg.Connection
) -> None:
    admin.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    found = await find_failure(tmp_path, url)
    assert "the server is read-only" in found.text
    assert "name the primary" in found.remedy


async def test_a_wrong_password_is_named_without_it(
    tmp_path: Path, cluster: Cluster, database: str, admin: psycopg.Connection
) -> None:
    with guest(admin) as name:
        found = await find_failure(tmp_path, cluster.url_of(name, "wrong-secret", database))
    assert "refused the user or the password" in found.text
    assert "store.url" in found.remedy


async def test_missing_rights_are_named(
    tmp_path: Path, cluster: Cluster, database: str, admin: psycopg.Connection
) -> None:
    with guest(admin) as name:
        found = await find_failure(tmp_path, cluster.url_of(name, "secret", database))
    assert "lacks rights" in found.text
    assert "GRANT CREATE ON DATABASE" in found.remedy


async def test_a_missing_database_is_named(tmp_path: Path, cluster: Cluster) -> None:
    found = await find_failure(tmp_path, cluster.url_of("postgres", "secret", "nowhere"))
    assert "no such database" in found.text
    assert "create it" in found.remedy


async def test_another_encoding_is_named(tmp_path: Path, cluster: Cluster, admin: psycopg.Connection) -> None:
    name = f"latin{next(databases)}"
    admin.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0")
    found = await find_failure(tmp_path, cluster.url_of("postgres", "secret", name))
    assert "encoding is LATIN1" in found.text


async def test_a_full_server_is_named(
    tmp_path: Path, cluster: Cluster, database: str, admin: psycopg.Connection
) -> None:
    with guest(admin) as name, ExitStack() as stack:
        url = cluster.url_of(name, "secret", database)
        for _ in range(MOST_CONNECTIONS):
            with suppress(psycopg.OperationalError):
                stack.enter_context(psycopg.connect(url))
        found = await find_failure(tmp_path, url)
    assert "all connection slots of the server are taken" in found.text
    assert "max_connections" in found.remedy


async def test_a_name_that_dns_does_not_know_is_named(tmp_path: Path) -> None:
    found = await find_failure(tmp_path, "postgresql://ann:secret@database.invalid:5432/parley")
    assert "no address was found for the server's name" in found.text
    assert "DNS" in found.remedy


async def test_an_address_that_is_none_says_how_to_write_one(tmp_path: Path) -> None:
    found = await find_failure(tmp_path, "postgresql://ann:secret@host:port:/x/?nonsense=1")
    assert found.text == "store.url is not an address of PostgreSQL"
    assert found.remedy.startswith("write postgresql://user:password@host:5432/database, and of")


async def test_tls_that_the_server_has_not_is_named(tmp_path: Path, url: str) -> None:
    found = await find_failure(tmp_path, f"{url}?sslmode=require")
    assert "the server has no TLS" in found.text
    assert "sslmode" in found.remedy


@pytest.fixture
def secured(cluster: Cluster, tmp_path: Path, admin: psycopg.Connection) -> Iterator[Path]:
    """TLS at the server, with a certificate for "localhost" of an authority that nobody knows."""
    made, data = ServerCertificate.make(tmp_path), cluster.folder / "data"
    for file in (made.certificate, made.key):
        shutil.copy(file, data)
        (data / file.name).chmod(0o600)
        if os.getuid() == 0:
            shutil.chown(data / file.name, "postgres", "postgres")
    admin.execute("ALTER SYSTEM SET ssl = on")
    admin.execute("SELECT pg_reload_conf()")
    yield made.certificate
    admin.execute("ALTER SYSTEM RESET ssl")
    admin.execute("SELECT pg_reload_conf()")


async def test_tls_is_proved_and_what_is_not_trusted_is_named(
    tmp_path: Path, url: str, secured: Path
) -> None:
    await until(lambda: encrypted(f"{url}?sslmode=prefer"), "the server has TLS")
    found = await find_failure(tmp_path, f"{url}?sslmode=verify-full&sslrootcert={tmp_path}/none.crt")
    assert "certificate is not trusted here" in found.text
    assert "sslrootcert=FILE" in found.remedy
    found = await find_failure(tmp_path, f"{url}?sslmode=verify-full&sslrootcert={secured}")
    assert "or is for another name" in found.text
    named = url.replace("127.0.0.1", "localhost")
    well = await examine(tmp_path, f"{named}?sslmode=verify-full&sslrootcert={secured}")
    assert not_well(well) == set(), well
    assert "encrypted" in well["tls"].text


def not_well(found: Mapping[str, CheckResult]) -> set[str]:
    """What is remarked, but for what the machine's other work may cause: a slow disk, and others' locks."""
    return {name for name, each in found.items() if each.status != OK} - {"write", "lock"}


def encrypted(url: str) -> bool:
    with psycopg.connect(url) as look:
        return bool(look.pgconn.ssl_in_use)


@pytest.mark.parametrize(("user", "code", "status"), [("postgres", 0, "ok"), ("nobody", 1, "failed")])
def test_the_command_says_it_with_its_exit_code_and_as_json(
    tmp_path: Path,
    cluster: Cluster,
    database: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    user: str,
    code: int,
    status: str,
) -> None:
    store = {"url": cluster.url_of(user, "a-secret-word", database)}
    tree = {"store": store, "console": {"port": 0}, "memory": {"enabled": False}}
    (tmp_path / "config.yaml").write_text(json.dumps(tree))
    (tmp_path / "config.yaml").chmod(0o600)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--json"]) == code
    said = capsys.readouterr()
    checks = {each["name"]: each for each in json.loads(said.out)["checks"]}
    assert (checks["store.write"]["status"], "store.clock" in checks) == (status, not code)
    assert "a-secret-word" not in said.out + said.err
