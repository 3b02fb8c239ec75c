"""The engine suite on PostgreSQL."""

from __future__ import annotations

import pytest

from tests.unit.store.engine.suite import EngineSuite

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]


class TestPostgres(EngineSuite):
    pass
