"""A session of the server that stands still is left: nobody waits until the driver has cancelled in vain."""

from __future__ import annotations

import os
from signal import SIGCONT, SIGSTOP

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.core.model.errors import StoreUnavailable
from parley.store.postgres.database.connection import parse_location
from parley.store.postgres.execution.batcher import Batcher
from parley.store.postgres.execution.call_merging import SqlCall

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(120)]

PID = SqlCall("SELECT pg_backend_pid()", ())


async def test_the_next_operation_has_a_session_of_its_own(
    cluster: Cluster, schema: str, caplog: pytest.LogCaptureFixture
) -> None:
    batcher = Batcher(parse_location(cluster.url, schema), 0.2)
    ((silent,),) = await batcher.submit(PID)
    os.kill(silent, SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await batcher.submit(PID)
        ((other,),) = await batcher.submit(PID)
        assert other != silent
    finally:
        os.kill(silent, SIGCONT)
        await batcher.close(10.0)
    assert [record for record in caplog.records if record.name == "psycopg"] == [], "it asked to cancel"


async def test_closing_leaves_a_session_that_stands_still(cluster: Cluster, schema: str) -> None:
    batcher = Batcher(parse_location(cluster.url, schema), 3600.0)
    ((silent,),) = await batcher.submit(PID)
    os.kill(silent, SIGSTOP)
    try:
        waiting = batcher.submit(PID)
        await batcher.close(0.2)
        with pytest.raises(StoreUnavailable):
            await waiting
    finally:
        os.kill(silent, SIGCONT)
