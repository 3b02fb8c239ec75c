"""Who takes part: processes that are hit, platforms that are not, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from benchmarks.kit import postgres_cluster
from benchmarks.kit.free_ports import free_port
from benchmarks.kit.postgres_cluster import Cluster
from parley.simulator.dingtalk import DingTalkSimulator
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from parley.simulator.slack import SlackSimulator, SlackSimulatorTiming
from parley.simulator.telegram import TelegramSimulator
from tests.chaos.accounting.network_tap import NetworkTap, TapLog
from tests.chaos.injection.clock import Clock
from tests.chaos.injection.injector import Targets
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
        return server.url if server else self.folder / "parley" / DATA / "parley.db"

    @property
    def agent_database(self) -> Path:
        """Where the agent's server notes its runs."""
        return self.folder / (AGENT if self.agent else "parley") / DATA / "agent.db"

    @property
    def logs(self) -> Mapping[str, str]:
        """What the Parleys have logged, by name."""
        return {process.folder.name: process.log for process in self.parleys}


@asynccontextmanager
async def scene(folder: Path, edition: Edition, *, mounting: bool) -> AsyncIterator[Scene]:
    """A configured installation; whatever runs at the end is killed. `mounting`, its disk may be full."""
    async with AsyncExitStack() as stack:
        platforms = _platforms(stack)
        database = new_database(stack) if edition == "nodes" else None
        agent = None if edition == "inside" else _agent(folder / AGENT)
        common: dict[str, object] = {} if agent is None else {"agent": asking(_url(agent))}
        if database is not None:
            common["store"] = {"url": database.url, "lease": LEASE}
        ear, clocks = TapLog(), dict[str, Clock]()
        running = list[Process]()
        for name in parleys(edition):
            sections = {p.name: dict(p.section(apart=agent is not None)) for p in platforms}
            if edition == "nodes":
                sections = {each: await _tapped(stack, sections[each], name, ear) for each in sections}
            clocks[name] = Clock(folder / f"{name}.clock")
            clocks[name].put_off(0)
            config = common | {"console": {"port": free_port()}, "channels": sections}
            running.append(Process(_made(folder / name), config, variables=clocks[name].variables))
        disk = Disk.mount(folder / "parley" / DATA) if mounting and edition != "nodes" else None
        by_name = {process.folder.name: process for process in (*running, *([agent] if agent else []))}
        targets = Targets(by_name, clocks, disk, database, ear)
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


def new_database(stack: ExitStack | AsyncExitStack) -> Cluster:
    """A database of its own on a server of its own."""
    cluster = stack.enter_context(postgres_cluster.running())
    with psycopg.connect(cluster.url_of("postgres", "secret", "postgres"), autocommit=True) as admin:
        admin.execute("CREATE DATABASE parley")
    return cluster


def _agent(folder: Path) -> Process:
    return Process(_made(folder), {"agent": {"api_key": AGENT_KEY}}, ("agent", "--port", str(free_port())))


def _url(agent: Process) -> str:
    return f"http://127.0.0.1:{agent.arguments[-1]}"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


async def _tapped(
    stack: AsyncExitStack, section: Mapping[str, object], node: str, ear: TapLog
) -> dict[str, object]:
    """The same section, but for a tap on the way to the platform."""
    ports = {int(found[1]) for found in map(_PORT.search, map(str, section.values())) if found}
    taps = {port: await stack.enter_async_context(NetworkTap(port, node, ear)) for port in ports}

    def turned(value: object) -> object:
        found = _PORT.search(value) if isinstance(value, str) else None
        if found is None or not isinstance(value, str):
            return value
        return value.replace(found[0], f"127.0.0.1:{taps[int(found[1])].port}")

    return {key: turned(value) for key, value in section.items()}
