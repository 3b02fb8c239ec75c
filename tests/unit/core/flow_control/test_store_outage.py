"""An outage of the store is said twice, and holds for a moment what has not begun."""

from __future__ import annotations

import pytest

from parley.core.flow_control.store_outage import SETTLING, StoreOutage


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_it_is_said_when_it_begins_and_when_it_is_over(caplog: pytest.LogCaptureFixture):
    clock = Clock()
    outage = StoreOutage(clock)
    outage.back()
    for _ in range(4):
        clock.now += 0.3
        outage.away("no connection")
    outage.back()  # another look may still fail
    clock.now += 1.0
    outage.back()
    outage.back()
    assert [record.getMessage() for record in caplog.records] == [
        "the store is away, work waits for it: no connection",
        "the store is back; it was away for 0.9 s",
    ]


def test_what_has_not_begun_is_held_for_a_moment():
    clock = Clock()
    outage = StoreOutage(clock)
    assert outage.settles_in == 0
    outage.away("no connection")
    clock.now += SETTLING / 2
    assert outage.settles_in == pytest.approx(SETTLING / 2)
    clock.now += SETTLING
    assert outage.settles_in == 0
