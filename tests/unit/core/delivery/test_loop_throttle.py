"""A burst is let through a little at a time, in order, and the loop looks up in between."""

import asyncio

from parley.core.delivery.loop_throttle import UNTHROTTLED, LoopThrottle
from tests.kit.machine import patience


async def passes_of(turnstile: LoopThrottle, number: int) -> list[int]:
    """In which pass of the loop each of so many came through, in their order."""
    seen: list[int] = []
    now = 0

    async def go() -> None:
        await turnstile.wait_turn()
        seen.append(now)

    tasks = [asyncio.create_task(go()) for _ in range(number)]
    while not all(task.done() for task in tasks):
        now += 1
        await asyncio.sleep(0)
    return seen


async def test_no_pass_of_the_loop_sees_more_than_so_many():
    seen = await passes_of(LoopThrottle(3), 10)
    assert max(seen.count(each) for each in seen) == 3
    assert seen == sorted(seen)
    assert len(seen) == 10


async def test_they_come_through_in_the_order_in_which_they_came():
    turnstile, order = LoopThrottle(2), list[int]()

    async def go(number: int) -> None:
        await turnstile.wait_turn()
        order.append(number)

    await asyncio.gather(*map(go, range(9)))
    assert order == list(range(9))


async def test_who_gave_up_waiting_takes_nobodys_place():
    turnstile = LoopThrottle(1)
    before = [asyncio.create_task(turnstile.wait_turn()) for _ in range(5)]
    gone = asyncio.create_task(turnstile.wait_turn())
    waits = asyncio.create_task(turnstile.wait_turn())
    await asyncio.sleep(0)
    gone.cancel()
    async with asyncio.timeout(patience(5)):
        await asyncio.gather(*before, waits)
    assert gone.cancelled()


async def test_an_open_one_lets_everybody_through_at_once():
    assert len(set(await passes_of(UNTHROTTLED, 50))) == 1
