"""What holds for every suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.engine import CHOSEN, NAMES


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=NAMES, default=NAMES[0], help="the store that suites run on")


def pytest_configure(config: pytest.Config) -> None:
    # A deadline of an example is a timed assertion: on a busy machine it fails by chance.
    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")
    CHOSEN.choose(config.getoption("--engine"))


def pytest_unconfigure() -> None:
    CHOSEN.close()
