"""What the log says where the store did not do something: nothing more in an outage, which is said once."""

from __future__ import annotations

from collections.abc import Callable

from parley.core.model.errors import StoreUnavailable


def log_store_failure(write: Callable[..., None], message: str, *given: object) -> None:
    """Write a line with a failure of the store among its arguments, with such as `log.warning`.

    Nothing is written where the store as a whole is away: whoever met that has said so.
    """
    if not any(isinstance(each, StoreUnavailable) and each.outage for each in given):
        write(message, *given)
