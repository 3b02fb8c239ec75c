"""Order and once, whatever happens: two nodes, any schedule of claims, finishes, lapses and frozen nodes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import Claim, NewQueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import LEASE, Clock, OpenNode

LANES = "xy"

Action = tuple[str, int, int]
actions = st.lists(
    st.tuples(
        st.sampled_from(
            ["put", "put", "claim", "claim", "done", "done", "release", "retry", "lapse", "renew"]
        ),
        st.integers(0, 1),
        st.integers(0, 3),
    ),
    max_size=40,
)
databases = count()


@dataclass(slots=True)
class Run:
    """One schedule, and what a correct store must have made of it."""

    stores: tuple[Store, Store]
    clock: Clock
    put: dict[str, list[str]] = field(default_factory=lambda: {lane: [] for lane in LANES})
    finished: dict[str, list[str]] = field(default_factory=lambda: {lane: [] for lane in LANES})
    claims: list[tuple[Store, Claim]] = field(default_factory=list)

    async def act(self, action: str, node: int, number: int) -> None:
        store, lane = self.stores[node], LANES[number % len(LANES)]
        if action == "put":
            body = f"{lane}{len(self.put[lane])}"
            await store.put(NewQueueItem("in", lane, body, dedupe=body, delay=float(number // 2)))
            self.put[lane].append(body)
        elif action == "claim":
            self.claims += [(store, claim) for claim in await store.claim("in", 1 + number)]
        elif action == "lapse":
            self.clock.advance(LEASE / 2)
        elif action == "renew":
            await store.renew()
        elif self.claims:
            await self.use(action, *self.claims[number % len(self.claims)], number)

    async def use(self, action: str, store: Store, claim: Claim, number: int) -> None:
        """Use any claim ever made, lost or not: a frozen node wakes and goes on."""
        try:
            if action == "release":
                await store.release(claim)
            elif action == "retry":
                await store.retry(claim, number)
            else:
                items = claim.items[: 1 + number]
                await store.done(
                    claim, items, puts=[NewQueueItem("out", claim.lane, item.body) for item in items]
                )
                self.finished[claim.lane] += [item.body for item in items]
        except LaneLost:
            return

    async def drain(self) -> None:
        self.clock.advance(10 * LEASE)
        while claims := await self.stores[0].claim("in", 10):
            for claim in claims:
                await self.use("done", self.stores[0], claim, 0)


class OrderPromises:
    def test_every_item_is_finished_once_and_in_order(self, open_node: OpenNode, clock: Clock) -> None:
        @settings(max_examples=40, deadline=None)
        @given(schedule=actions)
        def holds(schedule: list[Action]) -> None:
            asyncio.run(self.play(open_node, clock, schedule))

        holds()

    async def play(self, open_node: OpenNode, clock: Clock, schedule: list[Action]) -> None:
        database = f"example{next(databases)}"
        async with open_node("a", database) as a, open_node("b", database) as b:
            run = Run((a, b), clock)
            for action in schedule:
                await run.act(*action)
            await run.drain()
            assert run.finished == run.put
            for lane in LANES:
                assert [item.body for item in await a.waiting("out", lane)] == run.put[lane]
                assert await a.waiting("in", lane) == ()
