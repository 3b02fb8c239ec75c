"""Parley itself on PostgreSQL: chosen by one line of the configuration."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from app.build import built
from app.places import DATABASE
from app.settings.load import Loaded, read
from app.store import is_new, open_store, peek
from bridge.ports import Document, Put
from tests.postgres.cluster import Cluster
from tests.unit.store.kit import finish_next

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


def settings(cluster: Cluster, folder: Path) -> Loaded:
    text = f"""
        store: {{url: "{cluster.url}"}}
        agent: {{url: 'http://127.0.0.1:9'}}
        console: {{port: 0}}
    """
    return read(text, "config.yaml", {}, folder)


async def test_parley_starts_and_stops_on_it_and_makes_no_file(cluster: Cluster, tmp_path: Path) -> None:
    loaded = settings(cluster, tmp_path)
    async with built(loaded):
        pass
    assert not (loaded.data_dir / DATABASE).exists()
    assert not is_new(loaded)


async def test_what_was_stored_is_there_for_whoever_looks(cluster: Cluster, tmp_path: Path) -> None:
    loaded = settings(cluster, tmp_path)
    async with open_store(loaded) as store:
        await store.put(Put("product", "x", "1"))
        written = await store.set(Document("product", "v", 0))
        async with peek(loaded) as look:
            assert await look.get("product") == written
            assert [item.body for item in await look.waiting("product", "x")] == ["1"]
    async with open_store(loaded) as store:
        assert await finish_next(store, "product") == "1"


def test_the_commands_read_it(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from app.cli import audit, threads

    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(f'store: {{url: "{cluster.url}"}}\n')
    common = {"config": None, "verbose": False}
    assert threads.run(argparse.Namespace(**common, limit=10)) == 0
    assert audit.run(argparse.Namespace(**common, days=1, json=False)) == 0
    said = capsys.readouterr().out
    assert "No conversation has been answered yet." in said
    assert "Nothing was asked in the last 1 days." in said
