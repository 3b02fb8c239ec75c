"""In an outage nobody but the store itself writes to the log that something was not done."""

from __future__ import annotations

import logging

import pytest

from parley.core.model.errors import StoreUnavailable, StoreUnreachable
from parley.core.ports.journal import log_store_failure

log = logging.getLogger("parley.test")


def test_only_failures_that_are_no_outage_are_written(caplog: pytest.LogCaptureFixture):
    away = StoreUnreachable("the server cannot be reached.")
    away.outage = True
    with caplog.at_level(logging.INFO):
        log_store_failure(log.warning, "this node cannot show that it lives: %s", away)
        log_store_failure(log.info, "old rows stay for now: %s", StoreUnavailable("it took too long"))
        log_store_failure(log.warning, "%d messages wait (%s)", 3, OSError("no file"))
    assert [record.getMessage() for record in caplog.records] == [
        "old rows stay for now: it took too long",
        "3 messages wait (no file)",
    ]
