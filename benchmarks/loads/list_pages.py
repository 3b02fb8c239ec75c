"""Pages of the lists that a store has, at the beginning, in the middle and near the end."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from benchmarks.kit.arrivals import SEEDED, person_name
from parley.core.state.conversations import CONVERSATION_PREFIX
from parley.store.interface import Store

PAGE = 100
_TIMES = 5


@dataclass(frozen=True, slots=True)
class PageTime:
    """A page of a list, and the least milliseconds that it took."""

    about: str
    ms: float


async def read_pages(store: Store, people: int) -> list[PageTime]:
    """Read pages of a store of so many persons. Raises ValueError where one of them is empty."""
    places = {"first": -1, "middle": people // 2, "last": people - SEEDED}
    lists = {"conversations": f"{CONVERSATION_PREFIX}null:", "memories": f"memory/{quote('null:', safe='')}"}
    found = []
    for name, prefix in lists.items():
        for place, number in places.items():
            after = prefix + person_name(number) if number >= 0 else ""
            found.append(await _timed(f"{name}, {place}", partial(store.list, prefix, PAGE, after)))
    found.append(await _timed("dead letters", partial(store.dead, PAGE)))
    return found


async def _timed(about: str, read: Callable[[], Awaitable[Sequence[object]]]) -> PageTime:
    times = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        if not await read():
            raise ValueError(f"{about}: an empty page")
        times.append(1000 * (time.perf_counter() - began))
    return PageTime(about, min(times))
