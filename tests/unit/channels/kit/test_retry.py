"""Attempts while the store is away."""

from itertools import islice

import pytest

from parley.channels.kit.retry import UNTIL_STORED, RetryPauses, retry
from parley.core.model.errors import ChannelUnavailable, RateLimited, StoreUnavailable
from parley.core.ports.journal import STORE_PAUSE
from tests.kit.virtual_time import loop_time, run_in_virtual_time


class Fails:
    """Raises these errors, one a call, and then returns "done"."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.told: list[Exception] = []

    async def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "done"


def away() -> StoreUnavailable:
    return StoreUnavailable("away")


def test_pauses_double_up_to_the_longest():
    assert list(islice(UNTIL_STORED, 8)) == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert list(RetryPauses(0.1, attempts=4)) == [0.1, 0.2, 0.4, 0.8]
    assert list(islice(UNTIL_STORED, 5000, 5001)) == [30]


@run_in_virtual_time
async def test_work_is_repeated_until_the_store_is_there():
    work = Fails(away(), away(), away())
    began = loop_time()
    assert await retry(work, work.told.append) == "done"
    assert loop_time() - began == pytest.approx(3 * STORE_PAUSE)
    assert len(work.told) == 3


@run_in_virtual_time
async def test_after_the_last_pause_the_error_is_the_callers():
    work = Fails(*(away() for _ in range(9)))
    with pytest.raises(StoreUnavailable):
        await retry(work, work.told.append, RetryPauses(0.1, attempts=3))
    assert (len(work.told), len(work.errors)) == (4, 5)


@run_in_virtual_time
async def test_who_is_told_may_give_up():
    work = Fails(away(), away())

    def give_up(error: Exception) -> None:
        raise error

    with pytest.raises(StoreUnavailable):
        await retry(work, give_up)
    assert len(work.errors) == 1


@run_in_virtual_time
async def test_other_errors_are_not_waited_for_unless_they_are_named():
    work = Fails(ChannelUnavailable("gone"))
    with pytest.raises(ChannelUnavailable):
        await retry(work, work.told.append)
    work = Fails(ChannelUnavailable("gone"), RateLimited("slower", 7.0))
    began = loop_time()
    assert await retry(work, work.told.append, on=(ChannelUnavailable, RateLimited)) == "done"
    assert loop_time() - began == pytest.approx(0.5 + 7)
