"""Several nodes of one Parley: processes on one PostgreSQL, with one agent server for all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar

import httpx
import psycopg

from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.telegram import TelegramSimulator
from tests.kit.machine import patience
from tests.kit.product.process import PATIENCE, Process, asking, way_in
from tests.kit.product.scene import begin, end
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.kit.product.web_person import WebPerson

LEASE = patience(2.0)
"""Seconds; the shortest that a machine which does other things too keeps without a slip."""

SLOW = round(patience(10))
"""An answer that counts so far slowly takes three times as long as a lease."""

Found = TypeVar("Found")
_numbers = count(1)


def until(look: Callable[[], Found]) -> Found:
    """What `look` finds, as soon as it finds anything."""
    deadline = time.monotonic() + PATIENCE
    while True:
        late = time.monotonic() > deadline
        if found := look():
            return found
        assert not late, "it never came"
        time.sleep(0.05)


def was_held_up(node: Process) -> bool:
    """Whether the node's loop ever woke more than half a second late."""
    with httpx.Client(**way_in(node.url)) as http:
        text = http.get("/metrics").text
    soon = re.search(r'^parley_loop_lag_seconds_bucket\{le="0\.5"\} (\S+)', text, re.MULTILINE)
    every = re.search(r"^parley_loop_lag_seconds_count (\S+)", text, re.MULTILINE)
    assert soon, "the node does not tell its loop's lag"
    assert every, "the node does not tell its loop's lag"
    return float(soon[1]) < float(every[1])


@dataclass
class NodeCluster:
    """A database of its own, and its nodes by their names."""

    cluster: Cluster
    agent: Process
    telegram: TelegramSimulator
    folder: Path
    nodes: dict[str, Process] = field(default_factory=dict)
    _pages: list[WebPerson] = field(default_factory=list)
    database: str = field(default_factory=lambda: f"town{next(_numbers)}")

    def __post_init__(self) -> None:
        with psycopg.connect(self.cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {self.database}")

    @property
    def url(self) -> str:
        return self.cluster.url_of("postgres", "secret", self.database)

    def config(self, name: str, **more: object) -> dict[str, object]:
        """A node's settings; all but its name and its folder are the same everywhere."""
        config: dict[str, object] = {
            "store": {"url": self.url, "lease": LEASE, "node": name},
            "agent": asking(self.agent.url),
            "channels": {"telegram": telegram_config(self.telegram)},
        }
        return config | more

    def open(self, *names: str, **more: object) -> list[Process]:
        """Nodes that serve."""
        for name in names:
            self.start(name, None, **more)
        for name in names:
            self.nodes[name].wait_until_up()
        return [self.nodes[name] for name in names]

    def start(self, name: str, variables: Mapping[str, str] | None = None, **more: object) -> Process:
        """A node on its way, in place of an earlier one of that name."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        if name in self.nodes:
            end(self.nodes[name])
        self.nodes[name] = begin(folder, self.config(name, **more), variables=variables)
        return self.nodes[name]

    def at_page(self, node: str, chat: str = "") -> WebPerson:
        """Somebody with a node's page open, in a new chat or in that one."""
        url = self.nodes[node].url
        person = WebPerson(url, chat) if chat else WebPerson(url)
        self._pages.append(person)
        return person

    def close(self) -> None:
        for person in self._pages:
            person.close()
        for node in self.nodes.values():
            end(node)

    def asked(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Rows of the database."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()

    def worker(self, place: str = "") -> str:
        """The node that works on a turn of a conversation whose key has `place` in it, once one does."""
        return until(lambda: self.workers(place))[0]

    def workers(self, place: str = "") -> list[str]:
        """The nodes that work on turns."""
        rows = self.asked(
            "SELECT DISTINCT node FROM parley.lanes WHERE node IS NOT NULL AND queue LIKE 'turns/%%'"
            " AND lane LIKE %s",
            f"%{place}%",
        )
        return [str(node).rpartition("-")[0] for (node,) in rows]

    def alive(self) -> list[str]:
        """The nodes whose lease stands."""
        rows = self.asked("SELECT name FROM parley.nodes WHERE until > extract(epoch FROM clock_timestamp())")
        return [str(node).rpartition("-")[0] for (node,) in rows]

    def holder(self, what: str) -> str:
        """The node that has something alone, once one has."""
        held = (
            "SELECT node FROM parley.leases WHERE name = %s AND until > extract(epoch FROM clock_timestamp())"
        )
        return str(until(lambda: self.asked(held, what))[0][0]).rpartition("-")[0]

    def another(self, name: str) -> Process:
        """Any node but that."""
        return next(node for each, node in self.nodes.items() if each != name)

    def private(self) -> Chat:
        """Somebody new on Telegram, alone with the bot."""
        person = self.telegram.people.add_person("Alice", language="en")
        return Chat(self.telegram, person.id, person.id)
