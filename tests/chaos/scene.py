"""Who takes part: processes that are hit, platforms that are not, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.kit.free_ports import free_port
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from parley.simulator.telegram import TelegramSimulator
from tests.chaos.accounting.network_tap import NetworkTap, TapLog, WayIn
from tests.chaos.injection.clock import Clock
from tests.chaos.injection.database import FaultyDatabase, faulty_database
from tests.chaos.injection.injector import Targets
from tests.chaos.injection.network import Gate, NodeNetwork, own_network
from tests.chaos.planning.process_faults import AGENT, LEASE, parleys
from tests.chaos.planning.scale import Edition
from tests.chaos.platforms.conversations import FaultyPlatform
from tests.chaos.platforms.dingtalk import FaultyDingTalk
from tests.chaos.platforms.feishu import FaultyFeishu
from tests.chaos.platforms.slack import FaultySlack
from tests.chaos.platforms.telegram import FaultyTelegram
from tests.kit.product.process import AGENT_KEY, Process, asking
from tests.kit.small_disk import Disk

DATA = "data"
# Soon and for ever: a platform that gives a message up after hours would not show what we do with it.
_SLACK = SlackSimulatorTiming(retries=(0.5,) * 1000)
_FEISHU = FeishuSimulatorTiming(redelivery=(0.5,) * 1000)
_PORT = re.compile(r"127\.0\.0\.1:(\d+)")


@dataclass(frozen=True, slots=True)
class Scene:
    """An installation whose processes are not started yet."""

    folder: Path
    edition: Edition
    platforms: Mapping[str, FaultyPlatform]
    parleys: Sequence[Process]
    agent: Process | None
    targets: Targets

    @property
    def processes(self) -> Sequence[Process]:
        """Everybody, in the order in which they start."""
        return (*([self.agent] if self.agent else []), *self.parleys)

    @property
    def database(self) -> Path | str:
        """The store: a file, or the address of a server."""
        server = self.targets.database
        return server.cluster.url if server else self.folder / "parley" / DATA / "parley.db"

    @property
    def agent_database(self) -> Path:
        """Where the agent's server notes its runs."""
        return self.folder / (AGENT if self.agent else "parley") / DATA / "agent.db"

    @property
    def logs(self) -> Mapping[str, str]:
        """What everybody has logged, by name."""
        return {process.folder.name: process.log for process in self.processes}


@asynccontextmanager
async def scene(folder: Path, edition: Edition, *, mounting: bool) -> AsyncIterator[Scene]:
    """A configured installation; whatever runs at the end is killed. `mounting`, its disk may be full."""
    async with AsyncExitStack() as stack:
        platforms = _platforms(stack)
        nodes = edition == "nodes"
        database = stack.enter_context(faulty_database(mounting=mounting)) if nodes else None
        agent = None if edition == "inside" else _agent(folder / AGENT)
        asked = {} if agent is None else dict(asking(_url(agent)))
        ear, clocks, networks = TapLog(), dict[str, Clock](), dict[str, NodeNetwork]()
        running = list[Process]()
        for name in parleys(edition):
            sections = {p.name: dict(p.section(apart=agent is not None)) for p in platforms}
            config: dict[str, object] = {"channels": sections, "console": {"port": free_port()}}
            if asked:
                config["agent"] = asked
            prefix: tuple[str, ...] = ()
            if database is not None:
                ways = networks[name] = NodeNetwork(stack.enter_context(own_network()))
                config |= await _around(stack, _Node(name, ways, ear), config, _store(database, name))
                prefix = ways.network.prefix if ways.network else ()
            clocks[name] = Clock(folder / f"{name}.clock")
            clocks[name].put_off(0)
            variables = clocks[name].variables
            running.append(Process(_made(folder / name), config, variables=variables, prefix=prefix))
        disk = Disk.mount(folder / "parley" / DATA) if mounting and not nodes else None
        by_name = {process.folder.name: process for process in (*running, *([agent] if agent else []))}
        targets = Targets(by_name, clocks, disk, database, networks, ear)
        try:
            yield Scene(folder, edition, {p.name: p for p in platforms}, running, agent, targets)
        finally:
            for process in by_name.values():
                process.kill()


def _platforms(stack: AsyncExitStack) -> Sequence[FaultyPlatform]:
    return (
        FaultyTelegram(stack.enter_context(TelegramSimulator())),
        FaultySlack(stack.enter_context(SlackSimulator(timing=_SLACK))),
        FaultyFeishu(stack.enter_context(FeishuSimulator(timing=_FEISHU))),
        FaultyDingTalk(stack.enter_context(DingTalkSimulator())),
    )


def _agent(folder: Path) -> Process:
    return Process(_made(folder), {"agent": {"api_key": AGENT_KEY}}, ("agent", "--port", str(free_port())))


def _url(agent: Process) -> str:
    return f"http://127.0.0.1:{agent.arguments[-1]}"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@dataclass(frozen=True, slots=True)
class _Node:
    name: str
    ways: NodeNetwork
    ear: TapLog

    async def reach(
        self, stack: AsyncExitStack, section: Mapping[str, object], gate: Gate, ear: TapLog | None = None
    ) -> dict[str, object]:
        """Return the same section, but for taps on the ways to the addresses in it."""
        ports = {int(found[1]) for found in map(_PORT.search, map(str, section.values())) if found}
        made = {port: NetworkTap(port, self.name, ear, gate, self.ways.network) for port in ports}
        taps = {port: await stack.enter_async_context(tap) for port, tap in made.items()}

        def turned(value: object) -> object:
            found = _PORT.search(value) if isinstance(value, str) else None
            if found is None or not isinstance(value, str):
                return value
            return value.replace(found[0], f"127.0.0.1:{taps[int(found[1])].port}")

        return {key: turned(value) for key, value in section.items()}


async def _around(
    stack: AsyncExitStack, node: _Node, config: Mapping[str, Any], store: Mapping[str, object]
) -> dict[str, object]:
    """Return the sections of a node whose ways to all others may be cut."""
    ways = node.ways
    if ways.network is not None:
        await stack.enter_async_context(WayIn(config["console"]["port"], node.name, ways.network))
    channels = config["channels"]
    return {
        "channels": {
            each: await node.reach(stack, channels[each], ways.outside, node.ear) for each in channels
        },
        "agent": await node.reach(stack, config["agent"], ways.outside),
        "store": await node.reach(stack, store, ways.database),
    }


def _store(database: FaultyDatabase, node: str) -> Mapping[str, object]:
    """Return how a node reaches the database: the last one through the pooler, where there is one."""
    section: dict[str, object] = {"url": database.cluster.url, "lease": LEASE}
    if database.pooler is None or node != parleys("nodes")[-1]:
        return section
    return section | {"url": database.pooler.url, "listen_url": database.cluster.url}
