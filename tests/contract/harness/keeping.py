"""A promise checked on a platform, while somebody may listen to the wire."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from pathlib import Path

from tests.contract.driver import Driver
from tests.contract.harness.scene import scene
from tests.contract.promise import Promise
from tests.kit.machine import patience
from tests.kit.wire_shapes import collecting_shapes

_PATIENCE = patience(10.0)


async def keep_promise(
    promise: Promise, driver: type[Driver], folder: Path, wire: str, *, patience: float = _PATIENCE
) -> None:
    """Check a promise in `folder`; `wire` names the folder for what is said meanwhile, "" for none.

    Raises what the promise raises when it is broken.
    """
    # What no platform should send is no example of what it sends.
    strange = "driver.rubbish(" in inspect.getsource(promise.keep)
    with collecting_shapes(wire, driver.name) if wire and not strange else nullcontext():
        async with scene(driver, folder, setting=promise.setting, patience=patience) as stage:
            await promise.keep(stage)
