"""A node is stopped while its database does not answer: it takes no longer than it may."""

from __future__ import annotations

import re
from signal import SIGCONT, SIGSTOP

import pytest

from tests.kit.machine import patience
from tests.nodes.node_cluster import NodeCluster

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

GRACE = patience(8)


def test_a_stop_keeps_its_time_while_the_database_stands_still(town: NodeCluster):
    (node,) = town.open("a", manager={"shutdown_grace": GRACE})
    people = [town.private() for _ in range(3)]
    for person in people:
        person.say("Count to 4000 slowly")
    for person in people:
        person.draws("2 3")
    town.cluster.signal(SIGSTOP)
    try:
        assert node.terminate() == 0
    finally:
        town.cluster.signal(SIGCONT)
    assert "3 turns are left to go on at the next start" in node.log
    assert "Traceback" not in node.log
    took = re.search(r"stopped in (\S+) s", node.log)
    assert took
    assert float(took[1]) <= GRACE  # by the node's own clock
