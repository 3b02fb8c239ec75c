"""What holds for every suite."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.engine import CHOSEN, NAMES


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=NAMES, default=NAMES[0], help="the store that suites run on")


def pytest_configure(config: pytest.Config) -> None:
    # A deadline of an example is a timed assertion: on a busy machine it fails by chance. And whoever runs
    # the suite is told of their own mistakes: new examples are looked for with --hypothesis-profile=explore.
    settings.register_profile("steady", deadline=None, derandomize=True)
    settings.register_profile("explore", deadline=None)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("steady")
    CHOSEN.choose(config.getoption("--engine"))


def pytest_unconfigure() -> None:
    CHOSEN.close()
