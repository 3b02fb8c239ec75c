"""An outage of the store is two lines in the log, whoever notices it."""

from __future__ import annotations

import logging

import pytest

from parley.app.process.outage_lines import one_line_for_outages
from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable, StoreUnreachable

AWAY = StoreUnreachable("the server cannot be reached.")
log = logging.getLogger("parley.test")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_whoever_notices_an_outage_it_is_said_once_and_its_end_once(caplog: pytest.LogCaptureFixture):
    clock = Clock()
    outage = StoreOutage(clock)
    with caplog.at_level(logging.INFO), one_line_for_outages(outage):
        log.warning("this node cannot show that it lives: %s", AWAY)
        outage.away("cannot look for work")
        log.info("the other nodes are not seen: %s", AWAY)
        log.warning("%s is not known anew: %s", "this", StoreUnavailable("not yet"))
        log.warning("something else")
        clock.now += 3.0
        outage.back()
    assert lines(caplog) == [
        "the store is away, work waits for it: the server cannot be reached.",
        "something else",
        "the store is back; it was away for 0.0 s",
    ]


def test_what_else_a_store_refuses_is_said_while_it_is_there(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.INFO), one_line_for_outages(StoreOutage()):
        log.warning("old rows stay for now: %s", StoreUnavailable("a statement took too long"))
    assert lines(caplog) == ["old rows stay for now: a statement took too long"]


def test_a_later_part_hears_all_again(caplog: pytest.LogCaptureFixture):
    outage = StoreOutage()
    with caplog.at_level(logging.INFO):
        with one_line_for_outages(outage):
            log.warning("away: %s", AWAY)
        log.warning("away: %s", AWAY)
    assert lines(caplog)[1:] == ["away: the server cannot be reached."]
