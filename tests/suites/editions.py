"""A pytest plugin that leaves tests out: `--edition usual` those marked `long`, `short` also two of three."""

from __future__ import annotations

import pytest

from tests.suites.definitions import EDITIONS, Edition

_SHORT = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--edition", choices=EDITIONS, default="full", help="how many of the tests are run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = _chosen(items, config.getoption("--edition"))
    left_out = set(items) - set(chosen)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = chosen


def _chosen(items: list[pytest.Item], edition: Edition) -> list[pytest.Item]:
    if edition == "full":
        return list(items)
    usual = [item for item in items if item.get_closest_marker("long") is None]
    return usual if edition == "usual" else usual[::_SHORT]
