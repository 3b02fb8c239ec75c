"""What the documentation promises is what is checked."""

from __future__ import annotations

from tests.contract.drivers import DRIVERS
from tests.contract.promises import PROMISES
from tests.contract.table import DOCUMENT, with_table


def test_the_documented_promises_are_the_checked_ones() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert document == with_table(document), "run: python -m tests.contract.table"


def test_every_promise_is_a_sentence_held_by_somebody() -> None:
    assert all(promise.sentence.endswith(".") for promise in PROMISES.values())
    assert all(
        any(promise.applies(driver.traits) for driver in DRIVERS.values()) for promise in PROMISES.values()
    )
