"""Who was cut off too often begins alone."""

from __future__ import annotations

import asyncio

from parley.server.runs.crash_loop_guard import CrashLoopGuard, min_process_age
from tests.kit.virtual_time import loop_time, run_in_virtual_time


class Attempts:
    """Attempts that go on until they are let go."""

    def __init__(self, seconds: float, settling: float = 0.0) -> None:
        self._probation = CrashLoopGuard(seconds, settling, loop_time)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.begun: list[str] = []
        self.news: asyncio.Queue[str] = asyncio.Queue()

    async def make(self, name: str, number: int) -> None:
        self._tasks[name] = asyncio.create_task(self._work(name, number))
        await asyncio.sleep(0)

    async def end(self, name: str) -> None:
        self._tasks[name].cancel()
        await asyncio.sleep(0.01)

    async def _work(self, name: str, number: int) -> None:
        async with self._probation.attempt(number):
            self.begun.append(name)
            self.news.put_nowait(name)
            await asyncio.Event().wait()


@run_in_virtual_time
async def test_those_above_suspicion_never_wait():
    attempts = Attempts(3600)
    for number in (4, 1, 2, 3):
        await attempts.make(f"attempt {number}", number)
    assert attempts.begun == ["attempt 4", "attempt 1", "attempt 2", "attempt 3"]


@run_in_virtual_time
async def test_a_suspect_waits_until_the_one_before_is_done():
    attempts = Attempts(3600)
    await attempts.make("first", 4)
    await attempts.make("second", 4)
    await attempts.make("third", 9)
    assert attempts.begun == ["first"]
    await attempts.end("first")
    assert attempts.begun == ["first", "second"]


@run_in_virtual_time
async def test_a_suspect_that_is_stopped_while_it_waits_leaves_the_row():
    attempts = Attempts(3600)
    await attempts.make("first", 4)
    await attempts.make("second", 4)
    await attempts.make("third", 4)
    await attempts.end("second")
    await attempts.end("first")
    assert attempts.begun == ["first", "third"]


@run_in_virtual_time
async def test_a_suspect_that_lives_on_makes_room():
    attempts = Attempts(0.01)
    await attempts.make("first", 4)
    await attempts.make("second", 4)
    async with asyncio.timeout(5):
        assert [await attempts.news.get(), await attempts.news.get()] == ["first", "second"]


def test_the_more_often_one_was_cut_off_the_longer_the_process_must_have_lived():
    assert [min_process_age(number, 1.0) for number in range(1, 11)] == [0, 0, 0, 0, 1, 2, 4, 8, 16, 16]


@run_in_virtual_time
async def test_in_a_young_process_only_those_less_often_cut_off_begin():
    attempts = Attempts(0.0, settling=3600)
    for number in (9, 5, 4):
        await attempts.make(f"attempt {number}", number)
    assert attempts.begun == ["attempt 4"]


@run_in_virtual_time
async def test_in_a_process_that_has_lived_for_long_nobody_waits_for_that():
    attempts = Attempts(3600, settling=0.001)
    await asyncio.sleep(0.1)
    await attempts.make("attempt 10", 10)
    async with asyncio.timeout(5):
        assert await attempts.news.get() == "attempt 10"


@run_in_virtual_time
async def test_one_that_is_stopped_while_it_waits_for_that_leaves_no_trace():
    attempts = Attempts(3600, settling=3600)
    await attempts.make("attempt 8", 8)
    await attempts.make("attempt 4", 4)
    await attempts.end("attempt 8")
    assert attempts.begun == ["attempt 4"]
