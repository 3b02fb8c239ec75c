"""The database is away while people talk: they are answered in the order in which they wrote."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import OnFeishu, OnSlack
from tests.kit.product.process import Process
from tests.nodes.node_cluster import NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

SAID = ("one", "two", "three", "four", "five")
PEOPLE = 3


def later_than(moment: float) -> bool:
    return time.time() > moment


def test_what_was_said_meanwhile_is_answered_in_order(cluster: Cluster, agent: Process, tmp_path: Path):
    with SlackSimulator() as slack, FeishuSimulator() as feishu, TelegramSimulator() as telegram:
        people = [OnSlack(slack) for _ in range(PEOPLE)] + [OnFeishu(feishu) for _ in range(PEOPLE)]
        # Each message is a turn of its own, however near they are.
        sections = {each.name: each.section() | {"burst_window": 0} for each in people}
        town = NodeCluster(cluster, agent, telegram, tmp_path)
        try:
            nodes = town.open("a", "b", "c", channels=sections)
            for person in people:
                person.say("hello")
            for person in people:
                person.sees("You said: hello")
            cluster.stop("immediate")
            try:
                until(lambda: all("the store is away" in node.log for node in nodes))
                for word in SAID:
                    for person in people:
                        person.say(word)
                    # Platforms tell the time in milliseconds.
                    until(partial(later_than, time.time() + 0.002))
            finally:
                cluster.start()
            for person in people:
                for word in SAID:
                    person.sees(f"You said: {word}")
                said = [text.rpartition(" ")[2] for _, text, _ in person.seen() if "You said" in text]
                assert said == ["hello", *SAID], (person.name, said)
            until(lambda: all("the store is back" in node.log for node in nodes))
            for node in nodes:
                assert node.log.count("the store is away") == node.log.count("the store is back") == 1
                assert "Traceback" not in node.log
        finally:
            town.close()
