"""A test that ran into its time limit fails, also where nobody heard what broke it off."""

from __future__ import annotations

import math
import time
from collections.abc import Generator

import pytest
from pytest_timeout import Settings


class TimeLimits:
    """A pytest plugin beside pytest-timeout, which raises an error in whatever runs at the limit: within a
    task of asyncio it only ends the task, and a test that does not ask what became of it would pass.
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_timeout_set_timer(
        self, item: pytest.Item, settings: Settings
    ) -> Generator[None, object, object]:
        """Note when the limit is reached."""
        self._until[item.nodeid] = time.monotonic() + settings.timeout
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let what passed after the limit fail."""
        report = yield
        if report.failed:
            self._until.pop(item.nodeid, None)
        elif report.passed and time.monotonic() >= self._until.get(item.nodeid, math.inf):
            report.outcome = "failed"
            report.longrepr = "It ran into its time limit, and nobody heard the error: a task that it ended?"
        return report

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Forget a test that is over."""
        self._until.pop(nodeid, None)
