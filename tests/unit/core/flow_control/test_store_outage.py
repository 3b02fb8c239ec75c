"""An outage of the store is said twice, and holds for a moment what has not begun."""

from __future__ import annotations

import pytest

from parley.core.flow_control.store_outage import SETTLING, StoreOutage
from parley.core.model.errors import StoreUnavailable


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def away(text: str = "no connection") -> StoreUnavailable:
    error = StoreUnavailable(text)
    error.outage = True
    return error


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_it_is_said_when_it_begins_and_when_it_is_over(caplog: pytest.LogCaptureFixture):
    clock = Clock()
    outage = StoreOutage(clock)
    outage.note_success("writer")
    for _ in range(4):
        clock.now += 0.3
        outage.note_failure("writer", away())
    outage.note_success("writer")  # another look may still fail
    clock.now += 1.0
    outage.note_success("writer")
    outage.note_success("writer")
    assert lines(caplog) == [
        "the store is away, work waits for it: no connection",
        "the store is back; it was away for 0.9 s",
    ]


def test_while_one_way_fails_another_does_not_end_it(caplog: pytest.LogCaptureFixture):
    clock = Clock()
    outage = StoreOutage(clock)
    for _ in range(3):
        outage.note_failure("reader", away("all connection slots are taken"))
        clock.now += 5.0
        outage.note_success("writer")
    outage.note_success("reader")
    assert lines(caplog) == [
        "the store is away, work waits for it: all connection slots are taken",
        "the store is back; it was away for 10.0 s",
    ]


def test_what_fails_one_operation_is_no_outage(caplog: pytest.LogCaptureFixture):
    outage = StoreOutage(Clock())
    outage.note_failure("writer", StoreUnavailable("a statement took too long"))
    outage.note_success("writer")
    assert lines(caplog) == []
    assert outage.settles_in == 0


def test_what_has_not_begun_is_held_for_a_moment():
    clock = Clock()
    outage = StoreOutage(clock)
    assert outage.settles_in == 0
    outage.note_failure("writer", away())
    clock.now += SETTLING / 2
    assert outage.settles_in == pytest.approx(SETTLING / 2)
    clock.now += SETTLING
    assert outage.settles_in == 0
