"""Parley itself on PostgreSQL: chosen by one line of the configuration."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.app.cli.main import main
from parley.app.composition.build import build_parley
from parley.app.settings.load import LoadedSettings, read_settings
from parley.app.storage.paths import DATABASE
from parley.app.storage.store import is_new_store, open_store, open_store_read_only
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.journal import Document, NewQueueItem
from parley.store.postgres import check_database
from tests.kit.store.contents import fill, seen
from tests.kit.store.nodes import finish_next

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


def settings(cluster: Cluster, folder: Path) -> LoadedSettings:
    text = f"""
        store: {{url: "{cluster.url}"}}
        agent: {{url: 'http://127.0.0.1:9'}}
        console: {{port: 0}}
    """
    return read_settings(text, "config.yaml", {}, folder)


async def test_parley_starts_and_stops_on_it_and_makes_no_file(cluster: Cluster, tmp_path: Path) -> None:
    loaded = settings(cluster, tmp_path)
    async with build_parley(loaded):
        pass
    assert not (loaded.data_dir / DATABASE).exists()
    assert not is_new_store(loaded)


async def test_what_was_stored_is_there_for_whoever_looks(cluster: Cluster, tmp_path: Path) -> None:
    loaded = settings(cluster, tmp_path)
    async with open_store(loaded) as store:
        await store.put(NewQueueItem("product", "x", "1"))
        written = await store.set(Document("product", "v", 0))
        async with open_store_read_only(loaded) as look:
            assert await look.get("product") == written
            assert [item.body for item in await look.waiting("product", "x")] == ["1"]
    async with open_store(loaded) as store:
        assert await finish_next(store, "product") == "1"


def test_the_commands_read_it(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from parley.app.cli.admin import audit
    from parley.app.cli.service import threads

    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(f'store: {{url: "{cluster.url}"}}\n')
    common = {"config": None, "verbose": False}
    assert threads.run(argparse.Namespace(**common, limit=10, all=False)) == 0
    assert audit.run(argparse.Namespace(**common, days=1, json=False)) == 0
    said = capsys.readouterr().out
    assert "No conversation has been answered yet." in said
    assert "No questions in the last 1 days." in said


def test_a_store_moves_from_a_file_to_a_server_and_back(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE moved")
    url = cluster.url_of("postgres", "secret", "moved")
    (tmp_path / "config.yaml").write_text("data_dir: here\n")
    asyncio.run(fill(tmp_path))
    monkeypatch.setenv("SERVER", url)
    assert main(["store", "copy", "sqlite", "$SERVER"]) == 0
    assert main(["store", "copy", "$SERVER", "sqlite:///back.db"]) == 0
    said = capsys.readouterr()
    assert said.out.count("Copied: 2 waiting") == 2
    assert "secret" not in said.out + said.err
    assert asyncio.run(seen(tmp_path, url)) == (["1", "2"], "v")
    assert asyncio.run(seen(tmp_path, "sqlite:///back.db")) == (["1", "2"], "v")
    assert main(["store", "copy", "sqlite", "$SERVER"]) == 1
    assert "is not empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("user", "database", "why"),
    [
        ("nobody-known", "parley", "refused the user or the password"),
        ("postgres", "absent", "no such database"),
    ],
)
def test_check_says_what_is_in_the_way_and_changes_nothing(
    cluster: Cluster,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    user: str,
    database: str,
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    url = cluster.url_of(user, "secret", database)
    (tmp_path / "config.yaml").write_text(f"console: {{port: 0}}\nstore: {{url: '{url}'}}\n")
    (tmp_path / "config.yaml").chmod(0o600)  # or a remark says that it holds secrets
    assert main(["check"]) == 1
    said = capsys.readouterr()
    assert why in said.out
    assert "secret" not in said.out + said.err


async def test_a_check_makes_no_tables_and_names_missing_rights(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE USER looker PASSWORD 'secret'")
        admin.execute("CREATE DATABASE looked_at")
        url = cluster.url_of("looker", "secret", "looked_at")
        with pytest.raises(StoreUnavailable, match="GRANT CREATE ON DATABASE"):
            await check_database(url)
        admin.execute("GRANT CREATE ON DATABASE looked_at TO looker")
        await check_database(url)
    with psycopg.connect(url) as looked:
        assert looked.execute("SELECT to_regnamespace('parley')").fetchone() == (None,)
