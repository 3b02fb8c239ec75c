"""Slack keeps its promises over HTTP as it does over Socket Mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.drivers.slack_http import SlackHttpDriver
from tests.contract.harness.keeping import keep_promise
from tests.contract.promise import Promise
from tests.contract.promises import PROMISES

pytestmark = pytest.mark.journeys

_HELD = [
    pytest.param(promise, id=promise.name)
    for promise in PROMISES.values()
    if promise.applies(SlackHttpDriver.traits)
]


@pytest.mark.parametrize("promise", _HELD)
async def test_promise_over_http(promise: Promise, tmp_path: Path, wire_folder: str) -> None:
    await keep_promise(promise, SlackHttpDriver, tmp_path, wire_folder)
