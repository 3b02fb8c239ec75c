"""Every channel keeps every promise that its platform lets it keep."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.contract.drivers import DRIVERS
from tests.contract.harness.scene import scene
from tests.contract.promise import Promise
from tests.contract.promises import PROMISES
from tests.kit.wire_shapes import collecting_shapes

_CASES = [
    pytest.param(name, promise, id=f"{name}-{promise.name}")
    for name, driver in DRIVERS.items()
    for promise in PROMISES.values()
    if promise.applies(driver.traits)
]


@pytest.mark.parametrize(("channel", "promise"), _CASES)
async def test_promise(channel: str, promise: Promise, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    # What no platform should send is no example of what it sends.
    strange = "driver.rubbish(" in inspect.getsource(promise.keep)
    folder = "" if strange else pytestconfig.getoption("--wire")
    with collecting_shapes(folder, channel) if folder else nullcontext():
        async with scene(DRIVERS[channel], tmp_path, setting=promise.setting) as stage:
            await promise.keep(stage)
