"""The suite catches what it is there to catch: each seeded fault breaks a promise that holds without it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.contract.driver import Driver
from tests.contract.drivers import DRIVERS
from tests.contract.faults import faults_for
from tests.contract.faults.fault import Fault
from tests.contract.harness.parley_process import Seed
from tests.contract.harness.scene import Scene, scene
from tests.contract.pairs import is_bitten_elsewhere
from tests.contract.promise import Promise
from tests.contract.promises import PROMISES
from tests.kit.machine import patience

# A broken promise is often one that is waited for in vain: no longer than this, or than several times
# what the same promise took on this machine without a fault. Whoever waits too short a time takes slow for
# broken, and at worst counts a fault as caught that was not; what is sound is waited for as long as anywhere.
_PATIENCE = 2.0
_TIMES = 3
_AGAIN = patience(0.2)
_SLIPS = ("TypeError", "AttributeError", "NameError")
_CASES = [
    pytest.param(
        name,
        fault,
        id=f"{name}-{fault.name.replace(' ', '_')}",
        marks=pytest.mark.long if is_bitten_elsewhere(name, fault.name) else (),
    )
    for name, driver in DRIVERS.items()
    for fault in faults_for(driver)
]
_sound: dict[tuple[str, str], float] = {}


@pytest.mark.teeth
@pytest.mark.parametrize(("channel", "fault"), _CASES)
async def test_a_seeded_fault_is_caught(
    channel: str, fault: Fault, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    driver, promise = DRIVERS[channel], PROMISES[fault.breaks]
    if (channel, promise.name) not in _sound:
        _sound[channel, promise.name] = await slowest_wait(driver, promise, tmp_path / "sound")
    enough = max(_PATIENCE, _TIMES * _sound[channel, promise.name])
    how = await broken(fault.driver or driver, promise, fault.seed, tmp_path / "faulty", enough)
    assert how, f"{promise.name} holds although the channel would {fault.name}"
    with capsys.disabled():
        print(f"\n{channel}: {fault.name}: caught by {promise.name} ({how})", end=" ")


def test_every_channel_is_bitten_a_dozen_times() -> None:
    assert min(len(faults_for(driver)) for driver in DRIVERS.values()) >= 12


def test_the_usual_edition_seeds_every_fault_and_bites_every_channel() -> None:
    cases = [(name, fault.name) for name, driver in DRIVERS.items() for fault in faults_for(driver)]
    usual = [(name, fault) for name, fault in cases if not is_bitten_elsewhere(name, fault)]
    assert sorted(fault for _, fault in usual) == sorted({fault for _, fault in cases})
    assert {name for name, _ in usual} == set(DRIVERS)


def test_every_promise_can_be_broken() -> None:
    bitten = {fault.breaks for driver in DRIVERS.values() for fault in faults_for(driver)}
    assert bitten == set(PROMISES)


async def slowest_wait(driver: type[Driver], promise: Promise, folder: Path) -> float:
    """What the promise waits for longest, in seconds, when nothing is wrong. Raises when it is broken."""
    await asyncio.to_thread(folder.mkdir)
    async with scene(driver, folder, setting=promise.setting) as stage:
        await promise.keep(stage)
    return stage.longest_wait


async def broken(driver: type[Driver], promise: Promise, seed: Seed, folder: Path, enough: float) -> str:
    """How the promise breaks, or nothing when it is kept; what it waits for it is given `enough` seconds."""
    await asyncio.to_thread(folder.mkdir)
    stage: Scene | None = None
    before = asyncio.all_tasks()
    try:
        async with scene(driver, folder, setting=promise.setting, seed=seed, patience=enough) as stage:
            await promise.keep(stage)
    except (AssertionError, ValueError) as error:
        if stage is not None and (slip := _slip(stage)):
            raise RuntimeError(f"the fault itself is faulty: {slip}") from error
        return _line(error)
    finally:
        await _clear(asyncio.all_tasks() - before)
    return ""


async def _clear(left: set[asyncio.Task[object]]) -> None:
    """End what a fault left behind."""
    while left := {task for task in left if not task.done()}:
        for task in left:
            task.cancel()
        await asyncio.wait(left, timeout=_AGAIN)


def _slip(stage: Scene) -> str:
    """A mistake in the fault's own code, which would break any promise."""
    breaks = [line for line in stage.log.lines if "Traceback" in line]
    return next((line for line in breaks if any(slip in line for slip in _SLIPS)), "")


def _line(error: Exception) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0][:90]
