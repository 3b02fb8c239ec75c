"""Many who put at once: engines make their puts together, and nobody may notice."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parley.core.model.errors import LaneLost
from parley.core.ports.journal import NewQueueItem, QueueItem
from parley.store.interface import Store
from tests.kit.store.nodes import LEASE, Clock, OpenNode, bodies

QUEUES, LANES, NAMES = ("in", "knock"), ("x", "y", "z"), ("", "", "", "a", "b", "c", "d")

ODD_TEXTS = (
    '"quoted" \\ and \\u0041',
    "line\nand\ttab\r\x01\x1f\x7f\x85\u2028",
    "null",
    "1.5",
    '["a", 1]',
    "é 中文 \u202e \ufffe \uffff",
    "\U0001f469\u200d\U0001f469\u200d\U0001f466 \U0010ffff",
)

one = st.tuples(
    st.sampled_from(QUEUES),
    st.sampled_from(LANES),
    st.sampled_from(NAMES),
    st.sampled_from(["", "", "", "slot"]),
    st.sampled_from([0.0, 0.0, 5.0]),
)
crowds = st.lists(st.lists(one, min_size=1, max_size=3), max_size=120)
databases = count()

Crowd = list[list[tuple[str, str, str, str, float]]]


class CrowdPromises:
    def test_puts_at_once_are_as_puts_in_turn(self, open_node: OpenNode, clock: Clock) -> None:
        @settings(max_examples=15, deadline=None)
        @given(crowd=crowds)
        def holds(crowd: Crowd) -> None:
            asyncio.run(self.both(open_node, crowd))

        holds()

    async def both(self, open_node: OpenNode, crowd: Crowd) -> None:
        wishes = [
            [
                NewQueueItem(
                    queue, lane, f"{number}.{place}", name, delay, slot, max_wait=8.0 if slot else 0.0
                )
                for place, (queue, lane, name, slot, delay) in enumerate(some)
            ]
            for number, some in enumerate(crowd)
        ]
        number = next(databases)
        async with open_node("a", f"crowd{number}") as a, open_node("b", f"queue{number}") as b:
            at_once = await asyncio.gather(*(a.put(*puts) for puts in wishes))
            in_turn = [await b.put(*puts) for puts in wishes]
            assert _ranks(at_once) == _ranks(in_turn)
            assert await _state(a) == await _state(b)

    async def test_who_cannot_be_served_harms_nobody_beside_them(self, a: Store) -> None:
        wishes = [NewQueueItem("in", "x", f"{number}" if number != 70 else "\ud83d") for number in range(150)]
        answers = await asyncio.gather(*(a.put(put) for put in wishes), return_exceptions=True)
        assert [number for number, answer in enumerate(answers) if isinstance(answer, ValueError)] == [70]
        assert bodies(await a.waiting("in", "x")) == [put.body for put in wishes if put.body != "\ud83d"]

    async def test_texts_put_at_once_stay_as_they_are(self, a: Store) -> None:
        crowd = [NewQueueItem("in", text, text, dedupe=text) for text in ODD_TEXTS]
        await asyncio.gather(*(a.put(put) for put in crowd))
        assert [bodies(await a.waiting("in", text)) for text in ODD_TEXTS] == [[text] for text in ODD_TEXTS]
        again = await asyncio.gather(*(a.put(put) for put in crowd))
        assert again == [(None,)] * len(crowd)

    @pytest.mark.parametrize("text", ODD_TEXTS)
    async def test_who_notes_at_once_notes_their_own(self, a: Store, text: str) -> None:
        await asyncio.gather(*(a.put(NewQueueItem("in", f"{number} {text}", "x")) for number in range(20)))
        claims = await a.claim("in", 20)
        await asyncio.gather(*(a.note(claim, claim.items[0].id, claim.lane + text) for claim in claims))
        for claim in claims:
            assert [item.note for item in await a.waiting("in", claim.lane)] == [claim.lane + text]

    async def test_of_notes_at_once_for_one_item_the_last_stays(self, a: Store) -> None:
        await a.put(NewQueueItem("in", "x", "1"))
        (claim,) = await a.claim("in", 1)
        await asyncio.gather(*(a.note(claim, claim.items[0].id, f"{number}") for number in range(9)))
        assert (await a.waiting("in", "x"))[0].note == "8"

    async def test_who_lost_a_lane_notes_nothing_and_harms_nobody(
        self, a: Store, b: Store, clock: Clock
    ) -> None:
        await asyncio.gather(*(a.put(NewQueueItem("in", f"{number}", "x")) for number in range(9)))
        lost = {claim.lane: claim for claim in await a.claim("in", 9)}
        clock.advance(LEASE + 1)
        taken = {claim.lane: claim for claim in await b.claim("in", 4)}
        kept = {claim.lane: claim for claim in await a.claim("in", 9)}
        noting = [*lost.values(), *kept.values()]
        done = await asyncio.gather(
            *(a.note(claim, claim.items[0].id, "a") for claim in noting), return_exceptions=True
        )
        assert [isinstance(each, LaneLost) for each in done] == [True] * 9 + [False] * 5
        for lane in lost:
            note = (await b.waiting("in", lane))[0].note
            assert note == ("" if lane in taken else "a")

    @pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 84, 85, 300])
    async def test_of_a_crowd_with_one_name_the_first_is_heard(self, a: Store, size: int) -> None:
        crowd = [NewQueueItem("in", f"lane {number}", "x", dedupe="same") for number in range(size)]
        answers = await asyncio.gather(*(a.put(put) for put in crowd))
        assert [answer is not None for (answer,) in answers] == [True] + [False] * (size - 1)
        assert len(await a.waiting("in", "lane 0")) == 1


def _ranks(answers: list[tuple[int | None, ...]]) -> list[list[int | None]]:
    """The ids, as their places among each other: an engine may leave some out."""
    ids = sorted({item for answer in answers for item in answer if item is not None})
    return [[None if item is None else ids.index(item) for item in answer] for answer in answers]


async def _state(store: Store) -> list[list[str]]:
    waiting: list[list[QueueItem]] = [
        [*await store.waiting(queue, lane)] for queue in QUEUES for lane in LANES
    ]
    claimed = [claim for queue in QUEUES for claim in await store.claim(queue, 10)]
    heads = sorted(f"{claim.queue} {claim.lane} {bodies(claim.items)}" for claim in claimed)
    return [*map(bodies, waiting), heads]
