"""What follows a mention reaches another node before the mention is stored: it is answered all the same."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from functools import partial
from pathlib import Path

import httpx
import psycopg
import pytest

from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.feishu import FeishuSimulator
from parley.simulator.slack import SlackSimulator
from parley.simulator.telegram import TelegramSimulator
from tests.kit.product.deciders import OnFeishu, OnSlack
from tests.kit.product.process import Process, way_in
from tests.kit.product.scene import SLACK_TIMING
from tests.nodes.node_cluster import NodeCluster, until, was_held_up

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

TOPICS = 6

# To store a mention takes so long that what follows it is looked at by the other node before.
SLOWLY = """
    CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.body LIKE '%look here%' THEN PERFORM pg_sleep(0.2); END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER slowly BEFORE INSERT ON parley.items FOR EACH ROW EXECUTE FUNCTION slowly();
"""
BEING_STORED = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
STORED = "SELECT count(*) FROM parley.all_items WHERE body LIKE '%look here%'"


class Group(ABC):
    """A group with topics in which people talk among themselves."""

    name: str

    @abstractmethod
    def section(self) -> dict[str, object]:
        """Return the channel's section of the configuration."""

    @abstractmethod
    def open_topic(self) -> str:
        """Open another topic, and return where that is."""

    @abstractmethod
    def say(self, topic: str, text: str, *, mention: bool = False) -> None:
        """Say something there."""

    @abstractmethod
    def answers(self, topic: str) -> list[str]:
        """Return what the bot said there."""


class OnSlackChannel(Group):
    name = "slack"

    def __init__(self, simulator: SlackSimulator) -> None:
        self._people = simulator.people
        self._bot, self._section = simulator.handle, OnSlack(simulator).section()
        self._ann = self._people.add_person("Ann").id
        self._channel = self._people.add_channel("team", [self._ann])

    def section(self) -> dict[str, object]:
        return self._section

    def open_topic(self) -> str:
        return self._people.say(self._channel, self._ann, "about a matter")

    def say(self, topic: str, text: str, *, mention: bool = False) -> None:
        self._people.say(self._channel, self._ann, f"@{self._bot} {text}" if mention else text, topic)

    def answers(self, topic: str) -> list[str]:
        seen = self._people.messages(self._channel)
        return [each.text for each in seen if each.from_bot and each.thread == topic and not each.streaming]


class OnFeishuGroup(Group):
    name = "feishu"

    def __init__(self, simulator: FeishuSimulator) -> None:
        self._people, self._world = simulator.people, simulator.world
        self._section = OnFeishu(simulator).section()
        self._ann = self._people.add_person("Ann").open_id
        self._chat = self._people.add_group("team", [self._ann])

    def section(self) -> dict[str, object]:
        return self._section

    def open_topic(self) -> str:
        opening = self._people.say(self._chat, self._ann, "about a matter")
        self._people.say(self._chat, self._ann, "among us", reply_to=opening, in_thread=True)
        return opening

    def say(self, topic: str, text: str, *, mention: bool = False) -> None:
        said = f"@{self._world.bot.name} {text}" if mention else text
        self._people.say(self._chat, self._ann, said, reply_to=topic)

    def answers(self, topic: str) -> list[str]:
        thread = self._world.messages[topic].thread
        seen = self._people.messages(self._chat)
        return [each.text for each in seen if each.from_bot and each.thread == thread and not each.streaming]


def test_what_follows_a_mention_on_another_node_is_answered(cluster: Cluster, agent: Process, tmp_path: Path):
    with (
        SlackSimulator(timing=SLACK_TIMING) as slack,
        FeishuSimulator() as feishu,
        TelegramSimulator() as telegram,
    ):
        groups = (OnSlackChannel(slack), OnFeishuGroup(feishu))
        rules = {"mention": "thread", "burst_window": 0}
        town = NodeCluster(cluster, agent, telegram, tmp_path)
        try:
            nodes = town.open("a", "b", channels={each.name: each.section() | rules for each in groups})
            until(lambda: len(town.alive()) == 2)
            until(lambda: all(sees_both(node) for node in nodes))
            with psycopg.connect(town.url, autocommit=True) as database:
                database.execute(SLOWLY)
                topics = [(group, topic) for group in groups for topic in talk(group, database)]
            try:
                for group, topic in topics:
                    until(partial(is_answered, group, topic))
            except AssertionError:
                if any(map(was_held_up, nodes)):
                    pytest.skip("a node stood still: then what follows a mention may be left out")
                raise
            for group, topic in topics:
                said = [" ".join(text.split()[-2:]) for text in group.answers(topic)]
                assert said == ["look here", "at this"], group.name
        finally:
            town.close()


def sees_both(node: Process) -> bool:
    """Whether a node knows that it is not alone."""
    with httpx.Client(**way_in(node.url)) as http:
        return "2: " in http.get("/api/health").text


def talk(group: Group, database: psycopg.Connection) -> list[str]:
    """Have somebody mention the bot in one topic after the other, and go on while that is being stored."""
    topics = [group.open_topic() for _ in range(TOPICS)]
    for topic in topics:
        before = database.execute(STORED).fetchall()
        group.say(topic, "look here", mention=True)
        # Platforms tell the time in milliseconds: of the same one nobody knows which was first.
        until(partial(later_than, time.time() + 0.002))
        until(partial(is_on_its_way, database, before))
        group.say(topic, "at this")
    return topics


def later_than(moment: float) -> bool:
    return time.time() > moment


def is_on_its_way(database: psycopg.Connection, before: list[tuple[object, ...]]) -> bool:
    """Whether another mention is being stored, or was, since there were as many as `before`."""
    being = bool(database.execute(BEING_STORED).fetchall())
    return being or database.execute(STORED).fetchall() != before


def is_answered(group: Group, topic: str) -> bool:
    return len(group.answers(topic)) >= len(("look here", "at this"))
