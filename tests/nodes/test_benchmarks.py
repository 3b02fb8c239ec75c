"""The benchmarks of nodes and of growing stores, in their short edition, so that their command never rots."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from benchmarks.growth.multiply import multiply
from benchmarks.growth.multiply_postgres import PostgresEngine
from benchmarks.growth.seed import seed
from benchmarks.kit.child_process import agent_server
from benchmarks.kit.plan import QUICK
from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres import PostgresStore
from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.kit.product.grown_store import CONVERSATIONS, check_grown

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(400)]


async def test_people_of_a_multiplied_database_are_found_as_those_who_talked(
    cluster: Cluster, tmp_path: Path
) -> None:
    with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE grown")
    url = cluster.url_of("postgres", "secret", "grown")
    with agent_server() as (agent, _):
        await seed(url, agent, tmp_path)
    with closing(PostgresEngine.open(url).connection) as connection:
        multiply(PostgresEngine(connection), CONVERSATIONS)
    async with PostgresStore.open(url) as store:
        await check_grown(store)


def test_the_short_edition_measures_everything(tmp_path: Path) -> None:
    tables = tmp_path / "tables.json"
    command = [sys.executable, "-m", "benchmarks", "nodes", "growth", "growth-postgres", "--quick"]
    subprocess.run([*command, "--json", str(tables)], check=True, cwd=ROOT, timeout=patience(350))
    found = {table["name"]: table for table in json.loads(tables.read_text())}
    assert found.keys() == {
        *("machine", "nodes", "nodes-idle", "nodes-most", "growth-sqlite", "growth-postgresql"),
    }
    answered = [row for row in found["nodes"]["rows"] if row[0] != "SDK alone"]
    assert [row[0] for row in answered] == [str(nodes) for nodes in QUICK.nodes]
    assert all(row[-1] == "0" for row in answered)
    for name in ("growth-sqlite", "growth-postgresql"):
        rows = {row[0]: row[1:] for row in found[name]["rows"]}
        assert rows["not answered"][: len(QUICK.stores)] == ["0"] * len(QUICK.stores)
        assert not [about for about, cells in rows.items() if "cut off" in cells or "nan" in cells]
