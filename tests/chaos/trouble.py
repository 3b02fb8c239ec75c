"""What the platform does wrong meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from simulator.telegram import TelegramSimulator
from tests.chaos.board import Board
from tests.chaos.plan import Fault, Trouble

_WRITES = ("sendMessage", "editMessageText")


def _again(telegram: TelegramSimulator) -> None:
    telegram.people.redeliver(5)


def _limit(telegram: TelegramSimulator) -> None:
    for method in _WRITES:
        telegram.faults.fail_next(method, 429, "Too Many Requests: retry after 1", retry_after=1)


def _fail(telegram: TelegramSimulator) -> None:
    for method in _WRITES:
        telegram.faults.fail_next(method, 500, "Internal Server Error", times=2)


def _cut_before(telegram: TelegramSimulator) -> None:
    for method in _WRITES:
        telegram.faults.reset_next(method, "before")


def _cut_after(telegram: TelegramSimulator) -> None:
    for method in (*_WRITES, "sendDocument"):
        telegram.faults.reset_next(method, "after")


def _garble(telegram: TelegramSimulator) -> None:
    for method in _WRITES:
        telegram.faults.garble_next(method)


_WHAT: Mapping[Trouble, Callable[[TelegramSimulator], None]] = {
    "again": _again,
    "429": _limit,
    "500": _fail,
    "cut before": _cut_before,
    "cut after": _cut_after,
    "garbled": _garble,
    "poll": lambda telegram: telegram.drop_poll(),
    "outage": lambda telegram: telegram.faults.outage(1.0),
}


async def trouble(telegram: TelegramSimulator, faults: Sequence[Fault], board: Board) -> None:
    """Make each fault happen in its time."""
    for fault in faults:
        await board.until_answers(fault.answers)
        _WHAT[fault.trouble](telegram)
