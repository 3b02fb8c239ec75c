"""Platforms that every node connects to: each event reaches one node, and is answered once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import OnDingTalk, OnFeishu, OnSlack
from tests.kit.product.process import Process
from tests.kit.product.scene import SLACK_TIMING
from tests.nodes.node_cluster import NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

ASKED = ("one", "two", "three", "four")


def test_what_is_said_is_answered_once_also_when_a_node_dies(
    cluster: Cluster, agent: Process, tmp_path: Path
):
    with (
        SlackSimulator(timing=SLACK_TIMING) as slack,
        FeishuSimulator() as feishu,
        DingTalkSimulator() as dingtalk,
        TelegramSimulator() as telegram,
    ):
        people = (OnSlack(slack), OnFeishu(feishu), OnDingTalk(dingtalk))
        town = NodeCluster(cluster, agent, telegram, tmp_path)
        try:
            town.open("a", "b", channels={person.name: person.section() for person in people})
            for word in ASKED:
                for person in people:
                    person.say(word)
                for person in people:
                    person.sees(f"You said: {word}")
            town.nodes["a"].kill()
            # What DingTalk hands to a connection that is gone, and it has not noticed, never comes again.
            until(lambda: dingtalk.connections == 1)
            for person in people:
                person.say("Good night")
            for person in people:
                person.sees("You said: Good night")
                said = [text for _, text, _ in person.seen() if "You said" in text]
                assert len(said) == len(ASKED) + 1, said
        finally:
            town.close()
