"""What holds for every suite."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.kit.checkout import IMPORTED_AS, USER_DATA
from tests.kit.engine import CHOSEN, NAMES
from tests.kit.machine import patience, slowness
from tests.suites.time_limit import TimeLimits

# Whoever runs the tests may have a proxy, and passwords in ~/.netrc: neither is for servers of the tests.
for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[name]
os.environ["NETRC"] = os.devnull

# What a failed assertion of these says is as detailed as in a test module.
for room in ("doubles", "platforms", "product", "samples"):
    pytest.register_assert_rewrite(f"tests.kit.{room}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=NAMES, default=NAMES[0], help="the store that suites run on")
    parser.addoption("--wire", default="", help="a folder for what the contract says over each wire")


@pytest.hookimpl(tryfirst=True)  # pytest-timeout reads its option in the same hook
def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all tests are found
    # A deadline of an example is a timed assertion: on a busy machine it fails by chance. And whoever runs
    # the suite is told of their own mistakes: new examples are looked for with --hypothesis-profile=explore.
    settings.register_profile("steady", deadline=None, derandomize=True)
    settings.register_profile("explore", deadline=None)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("steady")
    if config.option.timeout is None:
        config.option.timeout = patience(float(config.getini("timeout")))
    config.pluginmanager.register(TimeLimits())
    CHOSEN.choose(config.getoption("--engine"))
    # Whoever runs the tests may have a Parley of their own: no test may find it, nor a process of one.
    os.environ["XDG_DATA_HOME"] = str(USER_DATA)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was imported stays until the end: to go through it at each collection of garbage is in vain."""
    gc.freeze()
    gc.enable()


def pytest_report_header() -> str:
    return f"slowness: {slowness():g} (deadlines are multiplied by it)"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if (limit := item.get_closest_marker("timeout")) is not None:
            item.add_marker(pytest.mark.timeout(patience(limit.args[0])), append=False)


@pytest.fixture
def wire_folder(pytestconfig: pytest.Config) -> str:
    """The folder for what is said over each wire, "" where nobody wants to know."""
    return str(pytestconfig.getoption("--wire"))


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Whatever a test calls in this process, `main` among it: the next has the same umask and levels."""
    umask = os.umask(0o077)
    os.umask(umask)
    loggers = [logging.getLogger(name) for name in ("", *IMPORTED_AS)]
    levels = [logger.level for logger in loggers]
    yield
    os.umask(umask)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def pytest_unconfigure() -> None:
    CHOSEN.close()
