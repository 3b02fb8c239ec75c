"""Traffic that arrives at a rate, whoever is ready."""

import asyncio
import random
from itertools import pairwise
from statistics import mean

from benchmarks.kit.arrivals import (
    SEEDED,
    Writers,
    arrival_times,
    copy_name,
    due_id,
    parse_due,
    person_name,
)
from benchmarks.kit.node_processes import Phase, Use
from benchmarks.loads.node_child import Node, Opened, Traffic
from benchmarks.nodes import kept_up
from tests.kit.virtual_time import loop_time, run_in_virtual_time


def phase(*, arrived=100, finished=100, drained=10.1):
    return Phase(10.0, arrived, finished, drained, [0.1], [0.1], 1.0, 1.0, Use(), 0.0)


def test_messages_arrive_by_chance_at_the_rate_and_in_order():
    times = list(arrival_times(50, 400, random.Random(1)))
    assert 0.95 < len(times) / (50 * 400) < 1.05
    assert times == sorted(times)
    assert times[-1] < 400
    gaps = [after - before for before, after in pairwise(times)]
    usual = mean(gaps)
    # of an exponential distribution, as many are below its mean as 1 - 1/e
    assert 0.6 < mean(gap < usual for gap in gaps) < 0.66


def test_everybody_writes_in_turn_and_each_to_one_node():
    nodes = [Writers(SEEDED * 3, node, 3) for node in range(3)]
    heard = [writers.next_person() for _ in range(SEEDED) for writers in nodes]
    assert sorted(heard) == [person_name(number) for number in range(SEEDED * 3)]
    assert nodes[0].next_person() == heard[0]
    assert person_name(2 * SEEDED).startswith(copy_name(2))


def test_a_turn_is_timed_from_when_its_message_was_due():
    traffic = Traffic()
    assert parse_due(due_id("ann", 1234.5, 3, 17)) == 1234.5
    traffic.note_finished(due_id("ann", 1234.5, 3, 17), 1240.0)
    assert (traffic.finished, traffic.turns) == (1, [5.5])


@run_in_virtual_time
async def test_traffic_does_not_wait_for_answers():
    traffic, taken = Traffic(), []

    async def accept(message):
        taken.append(message)
        await asyncio.sleep(1e9)

    async def no_pages(_people):
        return []

    node = Node(Opened(accept, no_pages), traffic, Writers(SEEDED), loop_time)
    await node.answer("arrive", 40, 5, 1)
    await asyncio.sleep(6)
    assert await node.answer("count") == [len(taken), 0]
    assert len({message.id for message in taken}) == len(taken) == traffic.arrived > 100


def test_what_is_answered_late_or_never_was_too_much():
    assert kept_up(phase())
    assert not kept_up(phase(drained=12.0))
    assert not kept_up(phase(drained=float("inf"), finished=50))
    assert phase().per_second == 100 / 10.1
    assert phase(drained=float("inf"), finished=60).per_second == 2.0
