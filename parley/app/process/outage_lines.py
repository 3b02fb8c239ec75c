"""One line for an outage of the store, whoever notices it: what else is said of it is left out of the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from parley.core.flow_control.store_outage import StoreOutage
from parley.core.model.errors import StoreUnavailable, StoreUnreachable


class OutageFilter(logging.Filter):
    """Drops lines that carry an error of a store that is away: the `outage` is told, and says so once."""

    def __init__(self, outage: StoreOutage) -> None:
        super().__init__()
        self._outage = outage

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the line is to be written."""
        error = next((each for each in _arguments(record) if isinstance(each, StoreUnavailable)), None)
        if error is None:
            return True
        if isinstance(error, StoreUnreachable):
            self._outage.away(str(error))
        return not self._outage.is_away


def _arguments(record: logging.LogRecord) -> tuple[object, ...]:
    return record.args if isinstance(record.args, tuple) else ()


@contextmanager
def one_line_for_outages(outage: StoreOutage) -> Iterator[None]:
    """Hold the log of this process to that while it is open."""
    repeats, handlers = OutageFilter(outage), tuple(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(repeats)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(repeats)
