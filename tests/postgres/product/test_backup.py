"""What docs/backup.md says of PostgreSQL, with its own tools: dumped beside a node, and gone on with."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster, binaries
from parley.app.cli.main import main
from parley.app.settings.load import LoadedSettings, read_settings
from parley.app.storage.store import lock_data_folder, open_store
from parley.core.ports.journal import Document, NewQueueItem
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.waiting import until

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

_TOOL = re.compile(r"^pg_(?:dump|restore) .*$", re.MULTILINE)


def new_database(cluster: Cluster, name: str) -> str:
    """Made as docs/store.md says."""
    with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0".encode())
    return cluster.url_of("postgres", "secret", name)


def settings(folder: Path, url: str) -> LoadedSettings:
    folder.mkdir(exist_ok=True)
    text = f"store: {{url: '{url}', lease: 2}}\nconsole: {{port: 0}}\n"
    (folder / "config.yaml").write_text(text)
    return read_settings(text, "config.yaml", {}, folder)


def tools() -> tuple[str, str]:
    """Return the two commands in the words of the document."""
    dump, restore = _TOOL.findall((ROOT / "docs" / "backup.md").read_text("utf-8"))
    return dump, restore


def typed(command: str, folder: Path, url: str) -> None:
    words = shlex.split(command.replace("$PARLEY_STORE_URL", url))
    ran = subprocess.run(
        [str(binaries() / words[0]), *words[1:]],
        cwd=folder,
        env=os.environ | {"LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=patience(60),
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_dumped_beside_a_node_and_restored_it_goes_on(
    cluster: Cluster,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dump, pg_restore = tools()
    old = settings(tmp_path / "old", new_database(cluster, "before"))
    (tmp_path / "old" / "data" / "files").mkdir(parents=True)
    (tmp_path / "old" / "data" / "files" / "a.txt").write_text("a file from a chat")
    monkeypatch.chdir(tmp_path / "old")

    async def work() -> None:
        async with open_store(old) as store:
            await store.put(
                NewQueueItem("in", "x", "1", dedupe="m1"),
                NewQueueItem("in", "x", "2"),
                NewQueueItem("in", "y", "3"),
            )
            await store.set(Document("k", "v", 0))
            (claim,) = await store.claim("in", 1)
            assert claim.items[0].body in "13"
            await asyncio.to_thread(typed, dump, tmp_path, old.settings.store.url)
            assert await asyncio.to_thread(main, ["backup", str(tmp_path / "backups" / "monday")]) == 0

    asyncio.run(work())
    assert "The store is on PostgreSQL, and not in it: back it up with pg_dump" in capsys.readouterr().out

    new = settings(tmp_path / "new", new_database(cluster, "after"))
    monkeypatch.chdir(tmp_path / "new")
    typed(pg_restore, tmp_path, new.settings.store.url)
    with lock_data_folder(new):
        assert main(["restore", str(tmp_path / "backups" / "monday")]) == 1
    assert "A Parley works on this data: stop it first" in capsys.readouterr().err
    assert main(["restore", str(tmp_path / "backups" / "monday")]) == 0
    assert "restore it with pg_restore" in capsys.readouterr().out
    assert (tmp_path / "new" / "data" / "files" / "a.txt").read_text() == "a file from a chat"

    async def go_on() -> None:
        async with open_store(new) as store:
            assert (await store.get("k")).body == "v"
            assert [item.body for item in await store.waiting("in", "x")] == ["1", "2"]
            await store.put(
                NewQueueItem("in", "x", "1 again", dedupe="m1")
            )  # the platform sends it once more
            done: list[str] = []

            async def worked() -> bool:
                for claim in await store.claim("in", 10):
                    done.extend(item.body for item in claim.items)
                    await store.done(claim, claim.items)
                return len(done) >= 3

            await until(worked, "what the old node held is free when its lease is over")
            assert sorted(done) == ["1", "2", "3"]
            assert not await store.waiting("in", "x")

    asyncio.run(go_on())


def test_a_backup_of_one_engine_is_not_restored_into_the_other(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(tmp_path / "server", new_database(cluster, "other"))
    (tmp_path / "server" / "data").mkdir()
    (tmp_path / "server" / "data" / "token").write_text("x")
    monkeypatch.chdir(tmp_path / "server")
    assert main(["backup", "copy"]) == 0
    (tmp_path / "server" / "config.yaml").write_text("console: {port: 0}\n")
    assert main(["restore", "copy", "--replace"]) == 1
    assert "was made with a store on postgresql, and store.url names one on sqlite" in capsys.readouterr().err
    assert (tmp_path / "server" / "data" / "token").read_text() == "x"
