"""`parley backup`: everything, while somebody writes, or nothing and why."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from parley.app.backup.create import create_backup
from parley.app.backup.layout import data_layout
from parley.app.cli.main import main
from parley.app.settings.load import read_settings
from parley.core.model.errors import ParleyError, StoreUnavailable
from parley.server.storage.sqlite.database import SCHEMA_VERSION
from parley.store.sqlite.backup import copy_database
from parley.store.sqlite.database.schema import STEPS
from tests.kit.machine import patience
from tests.kit.product.process import environment
from tests.kit.small_disk import WARNING, namespace
from tests.unit.app.backup.kit import FILES, fill, threads, write_config


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    here = tmp_path / "here"
    write_config(here)
    monkeypatch.chdir(here)
    return here


def manifest_of(backup: Path) -> dict[str, dict[str, object]]:
    return {each["path"]: each for each in json.loads((backup / "manifest.json").read_text())["files"]}


def test_everything_is_in_it_with_its_hash_for_nobody_else(folder: Path) -> None:
    fill(folder)
    assert main(["backup", "copy"]) == 0
    backup = folder / "copy"
    listed = manifest_of(backup)
    data = {path for path in FILES if not path.startswith("data/memory/")}
    assert {"parley.db", "agent.db", *data} < set(listed)
    assert any(path.startswith("memory/users/") for path in listed)
    found = {str(path.relative_to(backup)) for path in backup.rglob("*") if path.is_file()}
    assert found == {*listed, "manifest.json"}
    for path, each in listed.items():
        content = (backup / path).read_bytes()
        assert (each["size"], each["sha256"]) == (len(content), sha256(content).hexdigest())
    assert {path.stat().st_mode & 0o777 for path in backup.rglob("*") if path.is_file()} == {0o600}
    folders = [backup, *(path for path in backup.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    tree = json.loads((backup / "manifest.json").read_text())
    assert tree["schemas"] == {"parley.db": len(STEPS), "agent.db": SCHEMA_VERSION}
    assert tree["made_at"].endswith("+00:00")


def test_locks_links_and_sockets_are_left_out_and_said(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fill(folder)
    secret = tmp_path / "secret"
    secret.write_text("somebody else's")
    (folder / "data/files/turn-1/link").symlink_to(secret)
    (folder / "data/files/turn-1/folder").symlink_to(tmp_path)
    moved = tmp_path / "larger-disk"
    moved.mkdir()
    (moved / "a.txt").write_text("here")
    (folder / "data/moved").symlink_to(moved)
    os.chdir(folder / "data")
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind("ear")
        os.chdir(folder)
        assert main(["backup", "copy"]) == 0
    names = set(manifest_of(folder / "copy"))
    assert "data/moved/a.txt" in names  # an operator's own link, at the top
    assert not [name for name in names if "link" in name or "ear" in name or ".locks" in name]
    assert not [name for name in names if name.endswith((".db.lock", "-wal", "-shm"))]
    said = capsys.readouterr().err
    assert all(
        f"{folder}/data/{path}" in said for path in ("files/turn-1/link", "files/turn-1/folder", "ear")
    )


def test_what_lies_outside_of_the_data_folder_is_in_it_too(folder: Path) -> None:
    text = "store: {url: 'sqlite:///elsewhere/p.db'}\nmemory: {storage_path: ../people}\n"
    write_config(folder, text)
    fill(folder, text)
    (folder / "people").mkdir()
    (folder / "people" / "note.txt").write_text("x")
    assert main(["backup", "copy"]) == 0
    assert {"parley.db", "memory/note.txt", "data/token"} < set(manifest_of(folder / "copy"))


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("full", "is not empty"),
        ("data/inside", "lies in"),
        ("config.yaml", "name another folder"),
        ("config.yaml/in", "name another folder"),
    ],
)
def test_a_folder_that_will_not_do_is_refused_and_stays_as_it_was(
    folder: Path, capsys: pytest.CaptureFixture[str], target: str, why: str
) -> None:
    fill(folder)
    (folder / "full").mkdir()
    (folder / "full" / "mine").write_text("mine")
    assert main(["backup", target]) == 1
    assert why in capsys.readouterr().err
    assert [path.name for path in (folder / "full").iterdir()] == ["mine"]
    assert not (folder / "data" / "inside").exists()


def test_where_nothing_is_kept_yet_it_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", "copy"]) == 1
    assert "nothing to back up" in capsys.readouterr().err
    assert not (folder / "copy").exists()


def test_too_little_room_is_said_before_anything_is_copied(folder: Path) -> None:
    fill(folder)
    layout = data_layout(read_settings("", "config.yaml", {}, folder))
    told: list[str] = []
    with pytest.raises(ParleyError, match=r"room for 1.0 MB, and [0-9.]+ MB are needed"):
        create_backup(layout, folder / "copy", lambda *_: told.append(""), lambda _: 1_000_000)
    assert not told
    assert not (folder / "copy").exists()


def test_a_damaged_database_is_named_and_nothing_is_left(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(folder)
    with closing(sqlite3.connect(folder / "data/parley.db")) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    with (folder / "data/parley.db").open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    assert main(["backup", "copy"]) == 1
    assert f"{folder}/data/parley.db: the database is damaged" in capsys.readouterr().err
    assert not (folder / "copy").exists()


_FULL = """
import sys
from pathlib import Path
from parley.app.cli.main import main
import parley.app.backup.create as create
from tests.kit.small_disk import Disk
disk = Disk.mount(Path("disk"))
really = create.copy_database
def filling(source, target, progress):
    really(source, target, progress)
    disk.fill()
create.copy_database = filling
code = main(["backup", "disk/copy"])
print(code, [path.name for path in Path("disk").iterdir()])
"""


@pytest.mark.skipif(not namespace(), reason=WARNING)
def test_a_disk_that_gets_full_in_the_middle_leaves_nothing_behind(folder: Path) -> None:
    fill(folder)
    said = subprocess.run(
        [*namespace(), sys.executable, "-c", _FULL],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(50),
    )
    assert said.stdout.split("\n")[-2] == "1 ['ballast']"
    assert "No space left on device; no backup was made. What was begun is removed." in said.stderr


def test_a_copy_is_of_one_moment_and_never_keeps_a_writer_waiting(tmp_path: Path) -> None:
    """Somebody commits between any two steps: a copy that begins again after each change would never end."""
    source, steps = tmp_path / "a.db", list[int]()
    with closing(sqlite3.connect(source, isolation_level=None, timeout=0)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE rows (a, b)")
        writer.execute("BEGIN")
        writer.executemany("INSERT INTO rows VALUES (?, ?)", [(n, "x" * 3000) for n in range(3000)])
        writer.execute("COMMIT")

        def told(done: int, total: int) -> None:
            assert not steps or done > steps[-1], "it began again"
            steps.append(done)
            writer.execute("INSERT INTO rows VALUES ('later', ?)", ("x" * 100_000,))

        copy_database(source, tmp_path / "b.db", told)
        assert writer.execute("SELECT count(*) FROM rows").fetchall() == [(3000 + len(steps),)]
    assert len(steps) > 3
    with closing(sqlite3.connect(tmp_path / "b.db")) as copy:
        assert copy.execute("SELECT count(*) FROM rows").fetchall() == [(3000,)]
    assert [path.name for path in tmp_path.glob("b.db*")] == ["b.db"]


def test_each_part_is_newer_than_what_names_it(folder: Path) -> None:
    """A run that the store knows is in the agent's database, and a file that either knows is there."""
    fill(folder)
    data, seen = folder / "data", list[str]()

    def told(what: str, _done: int, _total: int) -> None:
        if what in seen:
            return
        seen.append(what)
        if what == "parley.db":
            written(
                data / "agent.db", "INSERT INTO threads VALUES ('later', 1, 1, 'idle', 'g', '{}', '{}', '')"
            )
            (data / "files" / "later.txt").write_text("named by a message that came just now")
        elif what == "agent.db":
            written(data / "parley.db", "UPDATE documents SET body = 'later'")

    report = create_backup(data_layout(read_settings("", "config.yaml", {}, folder)), folder / "copy", told)
    assert seen[:3] == ["parley.db", "agent.db", "files"]
    assert set(threads(folder / "copy" / "agent.db")) == {"old", "later"}
    assert (folder / "copy" / "data" / "files" / "later.txt").exists()
    with closing(sqlite3.connect(folder / "copy" / "parley.db")) as copy:
        assert ("later",) not in copy.execute("SELECT body FROM documents").fetchall()
    parts = [each.path.partition("/")[0] for each in report.manifest.files]
    assert list(dict.fromkeys(parts)) == ["parley.db", "agent.db", "memory", "data"]


def written(database: Path, statement: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(statement)
        connection.commit()


def test_interrupted_it_leaves_nothing_behind(folder: Path) -> None:
    fill(folder)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_backup(data_layout(read_settings("", "config.yaml", {}, folder)), folder / "copy", stop)
    assert not (folder / "copy").exists()


_ENDED = """
import os
import signal
import sys
from parley.app.cli.main import main
import parley.app.backup.create as create
really = create.copy_database
def ended(source, target, progress):
    really(source, target, progress)
    os.kill(os.getpid(), signal.SIGTERM)
create.copy_database = ended
sys.exit(main(["backup", "copy"]))
"""


def test_ended_by_a_supervisor_it_leaves_nothing_behind(folder: Path) -> None:
    fill(folder)
    command = [sys.executable, "-c", _ENDED]
    ended = subprocess.run(command, cwd=folder, env=environment(), check=False, timeout=patience(50))
    assert ended.returncode == 128 + signal.SIGTERM
    assert not (folder / "copy").exists()


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreUnavailable, match="is no database"):
        copy_database(tmp_path / "a.db", tmp_path / "b.db", lambda *_: None)


def test_it_goes_on_beside_a_store_that_is_open(folder: Path) -> None:
    fill(folder)

    async def beside() -> int:
        from parley.app.storage.store import open_store

        async with open_store(read_settings("", "config.yaml", {}, folder)):
            return await asyncio.to_thread(main, ["backup", "copy"])

    assert asyncio.run(beside()) == 0
    assert "parley.db" in manifest_of(folder / "copy")
