"""One PostgreSQL and one agent server for all; each test has a town of its own."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from benchmarks.kit import postgres_cluster
from benchmarks.kit.free_ports import free_port
from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.process import Process
from tests.kit.product.scene import KEYED, attach_logs, begin, end
from tests.nodes.node_cluster import NodeCluster


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return attach_logs((yield))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with postgres_cluster.running() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    agent = begin(tmp_path_factory.mktemp("agent"), KEYED, "agent", "--port", str(free_port()))
    try:
        agent.wait_until_up()
        yield agent
    finally:
        end(agent)


@pytest.fixture(scope="module")
def trio(cluster: Cluster, agent: Process, tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeCluster]:
    """A town with three nodes that all live."""
    with TelegramSimulator() as telegram:
        town = NodeCluster(cluster, agent, telegram, tmp_path_factory.mktemp("trio"))
        try:
            town.open("a", "b", "c")
            yield town
        finally:
            town.close()


@pytest.fixture
def town(cluster: Cluster, agent: Process, tmp_path: Path) -> Iterator[NodeCluster]:
    with TelegramSimulator() as telegram:
        town = NodeCluster(cluster, agent, telegram, tmp_path)
        try:
            yield town
        finally:
            town.close()
