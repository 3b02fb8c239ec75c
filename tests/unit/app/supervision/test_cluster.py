"""What a node shows of itself, and what keeps a store from being shared."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from parley.app.cli.startup_summary import summarise_startup
from parley.app.settings.load import read_settings
from parley.app.storage.store import make_node_name
from parley.app.supervision.cluster import ClusterMembership, NodeReport, parse_node_report
from parley.core.model.errors import StoreUnavailable
from parley.core.ports.health import Health, HealthReport
from parley.store.nodes import LeaseHolder, Node

A = Node("a-1", 1000.0, 10.0, 2, ("telegram",), NodeReport(agent="http://one").model_dump_json())
B = replace(A, name="b-2", holds=())


class Others:
    """What the store knows of the nodes."""

    name = "a-1"

    def __init__(self, *nodes: Node) -> None:
        self.nodes: Sequence[Node] = nodes
        self.time = 5.0
        self.said = ""
        self.looked = asyncio.Event()
        self.begun = 0
        self.told = asyncio.Event()
        self.broken = False

    def begin(self, node: Node) -> None:
        self.nodes = (*self.nodes, node)
        self.begun += 1
        self.told.set()

    def set_report(self, report: str) -> None:
        self.said = report

    def shared_clock(self, own: Callable[[], float]) -> Callable[[], float]:
        return lambda: self.time

    async def list_nodes(self, queues: str) -> Sequence[Node]:
        self.looked.set()
        if self.broken:
            raise StoreUnavailable("away")
        return self.nodes

    def changes(self) -> int:
        return self.begun

    async def wait_for_change(self, seen: int, timeout: float) -> None:
        while seen == self.begun:
            self.told.clear()
            await self.told.wait()

    async def acquire_lease(self, what: str, seconds: float) -> LeaseHolder:
        raise AssertionError("not in these tests")

    async def release_lease(self, what: str) -> None:
        raise AssertionError("not in these tests")

    async def wait_for_release(self, what: str, timeout: float) -> None:
        raise AssertionError("not in these tests")


def neighbourhood(nodes: Others, own_time: float = 5.0) -> ClusterMembership:
    channels = (HealthReport("telegram", Health.STANDBY, "", 0.0), HealthReport("web", Health.UP, "", 0.0))
    return ClusterMembership(nodes, "http://one", lambda: channels, lambda: own_time)


async def seen(nodes: Others, own_time: float = 5.0) -> ClusterMembership:
    made = neighbourhood(nodes, own_time)
    running = asyncio.create_task(made.run())
    await nodes.looked.wait()
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])
    return made


async def test_it_shows_its_channels_and_its_agent():
    nodes = Others(A)
    await seen(nodes)
    said = json.loads(nodes.said)
    assert said["channels"] == {"telegram": "standby", "web": "up"}
    assert said["agent"] == "http://one"


async def test_the_living_are_one_report():
    made = await seen(Others(A, B, replace(A, name="dead", left=-1.0)))
    (report,) = made.reports()
    assert report.detail == "2: a-1 (telegram), b-2"


@pytest.mark.parametrize(
    ("ahead", "said"), [(1.5, ""), (300.2, "clock is 300 s ahead"), (-2.5, "2 s behind")]
)
async def test_a_clock_that_is_off_is_said_to_all(ahead: float, said: str, caplog: pytest.LogCaptureFixture):
    nodes = Others(A, replace(B, report=NodeReport(clock="clock is 7 s behind").model_dump_json()))
    made = await seen(nodes, 5.0 + ahead)
    (report,) = made.reports()
    assert "b-2 (clock is 7 s behind)" in report.detail
    assert said in report.detail
    assert (report.health is Health.RETRYING) == bool(said)
    assert said in json.loads(nodes.said)["clock"]
    assert ("this machine's clock" in caplog.text) == bool(said)


@pytest.mark.parametrize(
    ("nodes", "up", "expected"),
    [
        ((A,), 1.0, 0.0),
        ((A, B), 60.0, 0.5),
        ((A, replace(B, since=1050.0)), 60.0, 2.0),  # it has just started
        ((replace(A, since=1050.0), B), 60.0, 2.0),  # we have
        ((A, B, replace(B, name="dead", since=1050.0, left=0.0)), 60.0, 0.5),
    ],
)
async def test_a_new_node_may_take_longer_to_store(nodes: tuple[Node, ...], up: float, expected: float):
    others = Others(*nodes)
    others.time = 1000.0 + up
    made = neighbourhood(others)
    await made.others()
    assert made.crossing() == expected


async def test_a_node_is_shown_and_knows_the_others_before_it_listens():
    nodes = Others()
    made = neighbourhood(nodes)

    async def renew() -> None:
        assert json.loads(nodes.said)["channels"] == {"telegram": "standby", "web": "up"}
        nodes.nodes = A, B

    await made.join(renew)
    assert made.has_others()


async def test_a_node_that_begins_is_known_at_once():
    others = Others(A)
    made = neighbourhood(others)
    running = asyncio.create_task(made.run())
    await others.looked.wait()
    others.looked.clear()
    others.begin(B)
    await others.looked.wait()
    await asyncio.sleep(0)
    assert made.has_others()
    running.cancel()
    await asyncio.wait([running])


async def test_there_is_none_where_there_can_be_one_node_only():
    assert (await seen(Others())).reports() == ()


@pytest.mark.parametrize(
    ("nodes", "expected"), [((A,), False), ((A, B), True), ((A, replace(B, left=0.0)), False), ((), False)]
)
async def test_somebody_else_can_go_on_if_they_live(nodes: tuple[Node, ...], expected: bool):
    assert await neighbourhood(Others(*nodes)).others() == expected


async def test_nobody_is_counted_on_while_the_store_is_away():
    nodes = Others(A, B)
    nodes.broken = True
    assert not await neighbourhood(nodes).others()


async def test_a_node_with_another_agent_is_named_once(caplog: pytest.LogCaptureFixture):
    other = replace(B, report=NodeReport(agent="http://two").model_dump_json())
    await seen(Others(A, other))
    assert "node b-2 asks another agent (http://two)" in caplog.text
    assert caplog.text.count("another agent") == 1


def test_what_another_version_says_harms_nobody():
    assert parse_node_report(replace(A, report='{"channels": 7}')).channels == {}
    assert parse_node_report(replace(A, report="")).version == "?"


def test_no_two_lives_have_the_same_name():
    assert make_node_name("blue").startswith("blue-")
    assert make_node_name("blue") != make_node_name("blue")
    assert make_node_name("") != make_node_name("")


POSTGRES = "store: {url: 'postgresql://db/parley'}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", []),
        ("memory: {storage: files}\n", []),
        (POSTGRES + "agent: {url: 'http://agent:2024'}\n", []),
        (POSTGRES, ["agent.url"]),
        (POSTGRES + "agent: {url: 'http://agent:2024'}\nmemory: {storage: files}\n", ["memory.storage"]),
        (POSTGRES + "memory: {storage: files}\n", ["agent.url", "memory.storage"]),
    ],
)
def test_whatever_is_for_one_node_only_is_said(tmp_path, text: str, said: list[str]):
    lines = [
        line
        for line in summarise_startup(read_settings(text, "config.yaml", {}, tmp_path))
        if "one node only" in line
    ]
    assert len(lines) == len(said)
    assert all(name in line for name, line in zip(said, lines, strict=True))


@pytest.mark.parametrize(
    ("text", "in_store"),
    [
        ("", False),
        (POSTGRES, True),
        (POSTGRES + "memory: {storage: files}\n", False),
        ("memory: {storage: store}\n", True),
    ],
)
def test_memories_are_where_every_node_finds_them(tmp_path, text: str, in_store: bool):
    assert read_settings(text, "config.yaml", {}, tmp_path).settings.memory_in_store == in_store
