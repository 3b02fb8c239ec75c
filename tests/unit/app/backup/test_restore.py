"""`parley restore`: all of a backup, or nothing of it, and why."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from parley.app.backup.layout import data_layout
from parley.app.backup.restore import restore
from parley.app.backup.swap import Swap, begin_swap
from parley.app.cli.main import main
from parley.app.settings.load import read_settings
from parley.app.storage.store import lock_data_folder, open_store
from parley.core.model.errors import ParleyError
from parley.server.storage.sqlite.database import exclusive_lock
from tests.kit.machine import patience
from tests.kit.product.process import environment
from tests.unit.app.backup.kit import fill, stored, word_of, write_config

Manifest = dict[str, Any]


@pytest.fixture
def backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A backup of another Parley, whose word is "new"."""
    there = tmp_path / "there"
    write_config(there)
    fill(there, word="new")
    monkeypatch.chdir(there)
    assert main(["backup", str(tmp_path / "backup")]) == 0
    return tmp_path / "backup"


@pytest.fixture
def here(backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is restored; nothing is there yet."""
    here = tmp_path / "here"
    write_config(here)
    monkeypatch.chdir(here)
    return here


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


def test_into_an_empty_place_everything_comes_back(here: Path, backup: Path) -> None:
    old = backup.parent / "there" / "data" / "files" / "turn-1" / "1" / "poetry.lock"
    assert main(["restore", str(backup)]) == 0
    assert word_of(here) == "new"
    again = here / "data" / "files" / "turn-1" / "1" / "poetry.lock"
    assert again.stat().st_mtime_ns == old.stat().st_mtime_ns
    assert {path.stat().st_mode & 0o077 for path in (here / "data").rglob("*")} == {0}
    assert not list((here / "data").glob(".rest*"))


def test_data_that_is_there_stays_unless_it_is_to_be_replaced(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(here)
    (here / "data" / "of-old-only").write_text("x")
    assert main(["restore", str(backup)]) == 1
    assert f"{here}/data has data already (agent.db, channels, files, ...). Add --replace" in said(capsys)
    assert word_of(here) == "old"
    assert main(["restore", str(backup), "--replace"]) == 0
    assert word_of(here) == "new"
    assert not (here / "data" / "of-old-only").exists()
    (aside,) = (here / "data").glob("before-restore-*")
    assert f"The previous data is in {aside}" in capsys.readouterr().out
    # It can be had back: as it was it is a data folder.
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    aside.rename(elsewhere / "data")
    assert word_of(elsewhere) == "old"
    # And a next backup does not have it.
    assert main(["backup", "next"]) == 0
    assert not list((here / "next").rglob("before-restore-*"))


def test_a_log_of_the_old_database_never_meets_the_new_one(here: Path, backup: Path) -> None:
    fill(here)
    with closing(sqlite3.connect(here / "data" / "parley.db")) as left_open:
        left_open.execute("UPDATE documents SET body = 'in the log'")
        left_open.commit()
        log = (here / "data" / "parley.db-wal").read_bytes()
    (here / "data" / "parley.db-wal").write_bytes(log)  # as after kill -9
    assert log
    assert main(["restore", str(backup), "--replace"]) == 0
    assert word_of(here) == "new"


def test_parts_go_where_this_configuration_has_them(here: Path, backup: Path) -> None:
    text = "data_dir: kept\nstore: {url: 'sqlite:///elsewhere/p.db'}\nmemory: {storage_path: ../people}\n"
    write_config(here, text)
    (here / "elsewhere").mkdir()
    (here / "elsewhere" / "p.db-wal").write_text("of another life")
    (here / "elsewhere" / "mine.txt").write_text("mine")
    assert main(["restore", str(backup)]) == 1
    assert main(["restore", str(backup), "--replace"]) == 0
    assert asyncio.run(stored(here, text)) == (["new message"], "new")
    assert list((here / "people" / "users").rglob("memory.json"))
    assert (here / "elsewhere" / "mine.txt").read_text() == "mine"
    assert (here / "kept" / "token").exists()


@pytest.mark.parametrize("name", ["parley.db", "agent.db", "data/files/turn-1/1/poetry.lock", "memory"])
def test_one_flipped_byte_is_found_and_the_file_is_named(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = backup / name
    if path.is_dir():
        path = next(path.rglob("memory.json"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    refused(here, backup, capsys, f"{path} is damaged: its SHA-256 is another")


def test_missing_short_and_exchanged_files_are_all_named(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = backup / "data"
    (backup / "agent.db").unlink()
    with (data / "token").open("ab") as file:
        file.write(b"more")
    upload = data / "channels" / "web" / "files" / "abc"
    elsewhere = backup.parent / "elsewhere"
    upload.rename(elsewhere)
    upload.symlink_to(elsewhere)
    (data / "files").rename(backup.parent / "files")
    (data / "files").symlink_to(backup.parent / "files")
    errors = refused(here, backup, capsys, f"{backup}/agent.db is missing")
    assert f"{data}/token is damaged: 53 bytes, and 49 were backed up" in errors
    assert f"{upload} is no file" in errors
    assert f"{data}/files/turn-1/1/poetry.lock is reached through a symbolic link" in errors


def refused(here: Path, backup: Path, capsys: pytest.CaptureFixture[str], why: str) -> str:
    """The restore says why it does not begin, and the old data is as it was."""
    fill(here)
    capsys.readouterr()
    assert main(["restore", str(backup), "--replace"]) == 1
    errors = said(capsys)
    assert why in errors
    assert word_of(here) == "old"
    assert not list((here / "data").glob("before-restore-*"))
    assert not list((here / "data").glob(".rest*"))
    return errors


def test_without_a_whole_manifest_there_is_no_backup(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = backup / "manifest.json"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[: len(whole) // 2])
    refused(here, backup, capsys, f"{manifest} cannot be used: ")
    manifest.write_bytes(b"\xff" + whole)
    assert main(["restore", str(backup), "--replace"]) == 1
    manifest.unlink()
    assert main(["restore", str(backup), "--replace"]) == 1
    assert f"{manifest} is not there: {backup} is no backup, or one that was not finished" in said(capsys)


def entry(path: str, content: bytes = b"x") -> Manifest:
    return {"path": path, "size": len(content), "sha256": sha256(content).hexdigest(), "modified": 0}


def add(path: str) -> Callable[[Manifest], None]:
    return lambda tree: tree["files"].append(entry(path))


def change(**values: object) -> Callable[[Manifest], None]:
    return lambda tree: tree.update(values)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (add("data/../../../escaped"), "'data/../../../escaped' leads out of the backup"),
        (add("../escaped"), "'../escaped' leads out"),
        (add("/etc/escaped"), "'/etc/escaped' leads out"),
        (add("data//escaped"), "leads out"),
        (add("data/./escaped"), "leads out"),
        (add("data/a\0b"), "leads out"),
        (add("data/" + "a" * 5000), "leads out"),
        (add("escaped"), "there is no place for 'escaped'"),
        (add("data"), "there is no place for 'data'"),
        (add("data/parley.db"), "there is no place"),
        (add("data/parley.db-wal"), "there is no place"),
        (add("data/agent.db-journal"), "there is no place"),
        (add("data/parley.db.lock"), "there is no place"),
        (add("data/.restore.json"), "there is no place"),
        (add("data/.restoring/x"), "there is no place"),
        (add("data/before-restore-1/x"), "there is no place"),
        (add("data/token"), "there is no place for 'data/token'"),
        (change(format=2), "update Parley"),
        (change(files=None), "files is no list"),
        (change(files=["a"]), "a file is no object"),
        (change(files=[]), "names no parley.db"),
        (change(files=[entry("parley.db") | {"sha256": "x"}]), "has no SHA-256"),
        (change(files=[entry("parley.db") | {"size": -1}]), "size is no number"),
        (change(files=[entry("parley.db") | {"size": True}]), "size is no number"),
        (change(schemas=[]), "schemas is no object"),
        (change(parley=1), "parley is no text"),
        (change(store="postgresql"), "was made with a store on postgresql"),
    ],
)
def test_a_manifest_made_to_harm_is_refused(
    here: Path,
    backup: Path,
    capsys: pytest.CaptureFixture[str],
    spoil: Callable[[Manifest], None],
    why: str,
) -> None:
    manifest = backup / "manifest.json"
    tree = json.loads(manifest.read_text())
    spoil(tree)
    manifest.write_text(json.dumps(tree))
    (backup / "escaped").write_bytes(b"x")
    (backup.parent / "escaped").write_bytes(b"x")
    assert main(["restore", str(backup)]) == 1
    errors = said(capsys)
    assert why in errors
    assert str(manifest) in errors or str(backup) in errors
    assert not list(here.rglob("escaped"))
    assert not (here / "data" / "parley.db").exists()


@pytest.mark.parametrize("name", ["parley.db", "agent.db"])
def test_a_newer_database_is_refused_whatever_the_manifest_says(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with closing(sqlite3.connect(backup / name)) as database:
        if name == "parley.db":
            database.execute("UPDATE meta SET value = 99 WHERE key = 'schema'")
        else:
            database.execute("PRAGMA user_version = 99")
        database.commit()
    manifest = backup / "manifest.json"
    tree = json.loads(manifest.read_text())
    content = (backup / name).read_bytes()
    tree["files"] = [entry(name, content) if each["path"] == name else each for each in tree["files"]]
    manifest.write_text(json.dumps(tree))
    refused(here, backup, capsys, f"{backup}/{name} was written by a newer Parley (schema 99")


def test_beside_a_running_parley_nothing_is_restored(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(here)
    loaded = read_settings("", "config.yaml", {}, here)
    command = ["restore", str(backup), "--replace"]

    async def beside_a_store() -> int:
        async with open_store(loaded):
            return await asyncio.to_thread(main, command)

    async def beside_an_agent_server() -> int:
        async with exclusive_lock(here / "data" / "agent.db"):
            return await asyncio.to_thread(main, command)

    def beside_a_node() -> int:
        url = "postgresql://ann@127.0.0.1:1/x"
        with lock_data_folder(read_settings(f"store: {{url: '{url}'}}", "config.yaml", {}, here)):
            return main(command)

    for beside in (
        lambda: asyncio.run(beside_a_store()),
        lambda: asyncio.run(beside_an_agent_server()),
        beside_a_node,
    ):
        assert beside() == 1
        assert "A Parley works on this data: stop it first" in said(capsys)
    assert word_of(here) == "old"
    assert main(command) == 0
    assert word_of(here) == "new"


def test_too_little_room_is_said_before_anything_is_brought(here: Path, backup: Path) -> None:
    layout = data_layout(read_settings("", "config.yaml", {}, here))
    with pytest.raises(ParleyError, match=r"data: there is room for 0.0 MB, and [0-9.]+ MB are needed"):
        restore(layout, backup, lambda *_: None, free=lambda _: 1000)
    assert not (here / "data" / ".restoring").exists()


def test_what_was_interrupted_is_finished_before_anything_else(
    here: Path, backup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(here)
    begin_swap(here / "data", Swap(backup, "before-restore-x", ()))
    assert main(["threads"]) == 1
    assert f"was interrupted: finish it with `parley restore {backup}`" in said(capsys)
    shutil.copytree(backup, here / "another")
    assert main(["restore", "another", "--replace"]) == 1
    assert f"A restore of {backup} was interrupted here: finish that one first" in said(capsys)
    assert main(["restore", str(backup)]) == 0
    assert "Finished the restore" in capsys.readouterr().out
    assert word_of(here) == "old"  # nothing was to be exchanged by this one
    (here / "data" / ".restore.json").write_text("{")
    assert main(["threads"]) == 1
    assert "what a restore noted there cannot be read" in said(capsys)


@pytest.mark.journeys
@pytest.mark.timeout(300)
def test_kill_9_at_any_call_leaves_the_old_or_the_new(tmp_path: Path, backup: Path) -> None:
    folder = tmp_path / "kills"
    write_config(folder)
    fill(folder)
    told = subprocess.run(
        [sys.executable, "-m", "tests.unit.app.backup.restore_kills", str(folder), str(backup)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(250),
    )
    before, after = zip(*(line.split() for line in told.stdout.splitlines()), strict=True)
    assert set(after) == {"new"}, told.stderr
    states = list(dict.fromkeys(before))
    assert states == ["old", "unfinished", "new"], told.stderr
    assert before.count("unfinished") > 10
    assert list(before) == sorted(before, key=states.index)
