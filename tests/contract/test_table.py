"""What the documentation promises is what is checked."""

from __future__ import annotations

from tests.contract.drivers import DRIVERS
from tests.contract.pairs import is_repeated
from tests.contract.promises import PROMISES
from tests.contract.table import PART, table


def test_the_documented_promises_are_the_checked_ones() -> None:
    PART.check(table())


def test_every_promise_is_a_sentence_held_by_somebody() -> None:
    assert all(promise.sentence.endswith(".") for promise in PROMISES.values())
    assert all(
        any(promise.applies(driver.traits) for driver in DRIVERS.values()) for promise in PROMISES.values()
    )


def test_on_another_engine_each_promise_is_checked_with_one_channel_at_least() -> None:
    cases = [(name, promise) for promise in PROMISES for name in DRIVERS]
    kept = [(name, promise) for name, promise in cases if not is_repeated(f"{name}-{promise}", "postgres")]
    assert sorted(promise for _, promise in kept) == sorted(PROMISES)
    assert {name for name, _ in kept} == set(DRIVERS)
    assert all(PROMISES[promise].applies(DRIVERS[name].traits) for name, promise in kept)
    assert not any(is_repeated(f"{name}-{promise}", "sqlite") for name, promise in cases)
