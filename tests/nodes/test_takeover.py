"""Nodes that die, freeze and leave: their work goes on elsewhere, once."""

from __future__ import annotations

import signal

import pytest

from tests.kit.product.long_answers import LAST
from tests.nodes.node_cluster import SLOW, NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]


def test_a_dead_nodes_reply_goes_on_in_the_same_message(town: NodeCluster):
    town.open("a", "b", "c")
    alice = town.private()
    asked = alice.say(f"Count to {LAST}")
    worker = town.worker(str(alice.chat))
    alice.draws("4 5 6")
    town.nodes[worker].kill()
    alice.sees(f"{LAST - 1} {LAST}", after=asked)
    assert len(alice.shown()) == 1


def test_a_frozen_nodes_turn_is_another_nodes_and_waking_it_sends_nothing(town: NodeCluster):
    town.open("a", "b")
    alice = town.private()
    asked = alice.say(f"Count to {SLOW} slowly")
    worker = town.worker(str(alice.chat))
    frozen = town.nodes[worker]
    alice.draws("2 3")
    frozen.signal(signal.SIGSTOP)
    until(lambda: worker not in town.workers(str(alice.chat)) and town.workers(str(alice.chat)))
    frozen.signal(signal.SIGCONT)
    alice.sees(f"{SLOW - 1} {SLOW}", after=asked)
    until(lambda: "taken over" in frozen.log)
    assert frozen.alive
    assert len(alice.shown()) == 1


def test_a_frozen_node_works_again_once_it_is_awake(town: NodeCluster):
    (node,) = town.open("a")
    node.signal(signal.SIGSTOP)
    until(lambda: not town.alive())
    node.signal(signal.SIGCONT)
    town.private().ask("Good morning", "You said: Good morning")


def test_polling_moves_when_its_node_dies(town: NodeCluster):
    town.open("a", "b")
    holder = town.holder("telegram")
    town.private().ask("One", "You said: One")
    town.nodes[holder].kill()
    town.private().ask("Two", "You said: Two")
    assert town.holder("telegram") != holder


def test_polling_moves_when_its_node_freezes_and_stays_there(town: NodeCluster):
    town.open("a", "b")
    holder = town.holder("telegram")
    town.nodes[holder].signal(signal.SIGSTOP)
    town.private().ask("One", "You said: One")
    town.nodes[holder].signal(signal.SIGCONT)
    for number in ("Two", "Three"):
        town.private().ask(number, f"You said: {number}")
    assert town.holder("telegram") != holder


def test_a_rolling_restart_breaks_no_reply(town: NodeCluster):
    town.open("a", "b")
    alice = town.private()
    asked = alice.say(f"Count to {SLOW} slowly")
    worker = town.worker(str(alice.chat))
    alice.draws("2 3")
    assert town.nodes[worker].terminate() == 0
    assert town.worker(str(alice.chat)) != worker
    town.open(worker)
    town.another(worker).terminate()
    alice.sees(f"{SLOW - 1} {SLOW}", after=asked)
    assert len(alice.shown()) == 1
