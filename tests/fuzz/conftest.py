"""How long the tests of this folder look: by the edition of the suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.fuzz.strategies import profile


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("fuzz", profile(config.getoption("--edition", "usual")))
