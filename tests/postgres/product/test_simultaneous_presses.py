"""Many questions, answered on two nodes at once: one decision each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres import PostgresStore
from tests.kit.doubles.core import Core, ScriptedAgent, core_on, default_options
from tests.kit.samples.questions import MAIL, asking, with_buttons
from tests.kit.samples.simultaneous_presses import press_and_words, two_presses

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]


async def test_of_two_presses_on_two_nodes_one_decides(cluster: Cluster, schema: str, tmp_path: Path) -> None:
    agent = ScriptedAgent(asking(MAIL))
    async with two_nodes(cluster.url, schema, tmp_path, agent) as nodes:
        await two_presses(nodes, agent, rounds=1000)


async def test_of_a_press_and_words_on_two_nodes_the_first_decides(
    cluster: Cluster, schema: str, tmp_path: Path
) -> None:
    async with two_nodes(cluster.url, schema, tmp_path, ScriptedAgent(asking(MAIL))) as nodes:
        await press_and_words(nodes, rounds=500)


@asynccontextmanager
async def two_nodes(url: str, schema: str, folder: Path, agent: ScriptedAgent) -> AsyncIterator[list[Core]]:
    """Two nodes that share a database and an agent."""
    options = default_options()
    async with (
        PostgresStore.open(url, node="a", schema=schema) as one,
        PostgresStore.open(url, node="b", schema=schema) as other,
        core_on(one, folder / "a", agent, with_buttons(), options) as a,
        core_on(other, folder / "b", agent, with_buttons(), options) as b,
    ):
        yield [a, b]
