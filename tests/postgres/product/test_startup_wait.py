"""A start beside a server that is away: it waits, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.kit.free_ports import free_port
from benchmarks.kit.postgres_cluster import Cluster
from tests.kit.product.process import Process

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]


@contextmanager
def starting(folder: Path, url: str) -> Iterator[Process]:
    process = Process(
        folder,
        {
            "store": {"url": url},
            "agent": {"url": "http://127.0.0.1:9"},
            "console": {"port": free_port()},
        },
    )
    process.spawn()
    try:
        yield process
    finally:
        process.kill()


def test_a_start_waits_for_a_server_that_is_away(cluster: Cluster, tmp_path: Path) -> None:
    cluster.stop()
    with starting(tmp_path, cluster.url) as process:
        try:
            process.wait_until_prints("Waiting for the store, 60 s at most: PostgreSQL at 127.0.0.1")
        finally:
            cluster.start()
        assert process.wait_until_up()
        assert process.printed.count("Waiting") == 1
        assert process.terminate() == 0


def test_whoever_waits_can_be_stopped(tmp_path: Path) -> None:
    with starting(tmp_path, f"postgresql://ann:secret@127.0.0.1:{free_port()}/parley") as process:
        process.wait_until_prints("Waiting for the store")
        assert process.terminate() == 0


def test_nobody_waits_for_what_will_not_change(cluster: Cluster, tmp_path: Path) -> None:
    with starting(tmp_path, cluster.url_of("postgres", "secret", "nowhere")) as process:
        assert process.wait() == 1
        assert "Waiting" not in process.printed
        assert "no such database" in process.log
