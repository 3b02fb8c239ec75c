"""`parley nodes`: who works on the store, in a table that people read."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.app.cli.service import nodes
from parley.app.settings.load import read_settings
from parley.app.storage.store import open_store
from parley.app.supervision.cluster import NodeReport
from parley.store.nodes import GONE_LISTED

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


@pytest.fixture
def url(cluster: Cluster) -> str:
    """A database of its own: nodes of other tests are not in it."""
    with psycopg.connect(cluster.url, autocommit=True) as admin:
        admin.execute("CREATE DATABASE listing")
    return cluster.url_of("postgres", "secret", "listing")


def test_each_node_has_a_line_with_what_it_holds(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f'store: {{url: "{url}", node: blue}}\n'
    (tmp_path / "config.yaml").write_text(text)
    arguments = argparse.Namespace(config=None, verbose=False, json=False)
    assert nodes.run(arguments) == 0
    assert capsys.readouterr().out == "No node uses this store.\n"

    async def work() -> None:
        async with open_store(read_settings(text, "config.yaml", {}, tmp_path)) as store:
            store.nodes.set_report(
                NodeReport(
                    channels={"telegram": "up", "web": "up"}, clock="clock is 9 s behind"
                ).model_dump_json()
            )
            await store.renew()
            await store.nodes.acquire_lease("telegram", 60)
            gone = "INSERT INTO parley.nodes (name, until) SELECT 'gone', parley.moment(NULL) - %s"
            with psycopg.connect(url, autocommit=True) as admin:
                admin.execute(gone, (GONE_LISTED + 1,))
            await asyncio.to_thread(nodes.run, arguments)
            await store.prune(store.nodes.shared_clock(time.time)())
            with psycopg.connect(url) as admin:
                assert admin.execute("SELECT count(*) FROM parley.nodes WHERE name = 'gone'").fetchone() == (
                    0,
                )

    asyncio.run(work())
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["NODE", "UP", "SEEN", "TURNS", "HOLDS", "ALONE", "CHANNELS"]
    assert line.startswith("blue-")
    assert line.endswith("0      telegram     telegram up, web up, clock is 9 s behind")


def test_a_store_in_a_file_has_one_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert nodes.run(argparse.Namespace(config=None, verbose=False, json=False)) == 0
    assert "docs/nodes.md" in capsys.readouterr().out
