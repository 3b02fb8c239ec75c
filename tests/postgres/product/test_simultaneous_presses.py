"""A thousand questions, pressed on two nodes at once: one decision each."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.store.postgres import PostgresStore
from tests.kit.doubles.core import ScriptedAgent, core_on, default_options
from tests.kit.samples.questions import MAIL, asking, with_buttons
from tests.kit.samples.simultaneous_presses import two_presses

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(300)]


async def test_of_two_presses_on_two_nodes_one_decides(cluster: Cluster, schema: str, tmp_path: Path) -> None:
    agent, options = ScriptedAgent(asking(MAIL)), default_options()
    async with (
        PostgresStore.open(cluster.url, node="a", schema=schema) as one,
        PostgresStore.open(cluster.url, node="b", schema=schema) as other,
        core_on(one, tmp_path / "a", agent, with_buttons(), options) as a,
        core_on(other, tmp_path / "b", agent, with_buttons(), options) as b,
    ):
        await two_presses([a, b], agent, rounds=1000)
