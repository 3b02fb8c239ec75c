"""The official tests of what saves checkpoints, on ours."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate

from parley.server.storage.interface import PostgresPlace
from parley.server.storage.postgres.engine import open_postgres
from parley.server.storage.store_index import no_index

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(200)]


async def test_the_official_tests_pass(place: PostgresPlace) -> None:
    @checkpointer_test(name="PostgresCheckpoints", skip_capabilities={"prune"})
    async def checkpoints() -> AsyncIterator[Any]:
        async with open_postgres(place, no_index) as storage:
            yield storage.checkpoints

    report = await validate(checkpoints)
    failed = {name: list(result.failures) for name, result in report.results.items() if result.tests_failed}
    assert report.passed_all_base(), failed
    assert failed == {}
