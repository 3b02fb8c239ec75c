"""Every channel keeps every promise that its platform lets it keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.drivers import DRIVERS
from tests.contract.harness.keeping import keep_promise
from tests.contract.promise import Promise
from tests.contract.promises import PROMISES

_CASES = [
    pytest.param(name, promise, id=f"{name}-{promise.name}")
    for name, driver in DRIVERS.items()
    for promise in PROMISES.values()
    if promise.applies(driver.traits)
]


@pytest.mark.parametrize(("channel", "promise"), _CASES)
async def test_promise(channel: str, promise: Promise, tmp_path: Path, wire_folder: str) -> None:
    await keep_promise(promise, DRIVERS[channel], tmp_path, wire_folder)
