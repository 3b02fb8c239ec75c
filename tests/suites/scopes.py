"""A pytest plugin that hands out tests to processes by module, and the contract suite's by channel, too.

Together, the contract's tests take longer than a fair share of all, and the other processes wait for them.
"""

from __future__ import annotations

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_DIVIDED = "tests/contract/test_contract.py::"


def scope_of(test: str) -> str:
    """Return what stays in one process with a test: its module, or its promise's channel."""
    return test.partition("-")[0] if test.startswith(_DIVIDED) else test.rsplit("::", 1)[0]


class ContractByChannel(LoadScopeScheduling):  # type: ignore[misc]  # the library has no types
    """Schedules by `scope_of`."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ContractByChannel:
    return ContractByChannel(config, log)
