"""With `delivery: edit` nothing is ever doubled on Telegram, not even in doubt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

import pytest

from tests.contract.driver import Traits
from tests.contract.drivers.telegram import TelegramDriver
from tests.contract.harness.keeping import keep_promise
from tests.contract.promise import Promise, promises_in
from tests.contract.promises import crash, delivery, files, questions, text
from tests.kit.machine import patience

_HELD = [
    pytest.param(promise, id=promise.name)
    for module in (delivery, crash, text, questions, files)
    for promise in promises_in(module)
    if promise.applies(TelegramDriver.traits)
]


class TelegramEditDriver(TelegramDriver):
    """Edits each message into a stub: whatever is sent again is there once."""

    delivery: ClassVar[Literal["send", "edit"]] = "edit"
    traits: ClassVar[Traits] = replace(TelegramDriver.traits, doubles=False)


@pytest.mark.parametrize("promise", _HELD)
async def test_promise_with_edits(promise: Promise, tmp_path: Path, wire_folder: str) -> None:
    # Each message takes two calls of the twenty that a chat is allowed in a minute.
    await keep_promise(promise, TelegramEditDriver, tmp_path, wire_folder, patience=patience(90))
