"""This node among the others: what it shows of itself, and what it sees of them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager

from pydantic import BaseModel, ValidationError

from parley.app.supervision.connection_lease import LEASE_SECONDS, ConnectionLeaseLost, ExclusiveLease
from parley.core.model.errors import ConfigError, StoreUnavailable
from parley.core.model.queues import turn_queue
from parley.core.ports.health import NODES, Health, HealthReport
from parley.core.ports.journal import log_store_failure
from parley.core.ports.pubsub import NULL_NOTIFIER, Notifier
from parley.store.interface import Store
from parley.store.nodes import Node, NodeRegistry
from parley.version import VERSION

log = logging.getLogger("parley.app")

TURNS = turn_queue("")
"""How the queues of turns begin, whatever the channel."""

_EVERY = 2.0
_PARTING = 1.0
_MOST_APART = 2.0
"""Seconds between this node's clock and the database's from which on it is said."""
_AGENT = "the embedded agent"

CROSSING = 0.5
"""Seconds in which another node may yet store an earlier message: names and quotes are looked up before."""

CROSSING_OF_NEW = 2.0
"""The same while a node is new: it looks everybody up, over connections that it has yet to make.

In eight runs of `make chaos-nodes` beside busy loops 27 of 280 Slack messages took longer than half a second
to be stored: 26 of these had come over a connection of less than four seconds, 23 were there within two.
"""

_NEW = 15.0
"""Seconds for which a node is new."""


class NodeReport(BaseModel):
    """What a node says of itself: `channels` are its connections by name, as in a health report.

    `clock` says how far its clock is off, "" where it is right.
    """

    version: str = VERSION
    agent: str = ""
    clock: str = ""
    channels: dict[str, str] = {}


def parse_node_report(node: Node) -> NodeReport:
    """Return what a node said; nothing where another version said it otherwise."""
    try:
        return NodeReport.model_validate_json(node.report)
    except ValidationError:
        return NodeReport(version="?")


class ClusterMembership:
    """Shows this node to the others every two seconds, and knows those that live.

    It looks at them at once when one begins: that may soon take a message before one that is stored here.
    """

    def __init__(
        self,
        nodes: NodeRegistry,
        agent: str,
        channels: Callable[[], Sequence[HealthReport]],
        clock: Callable[[], float],
        news: Notifier = NULL_NOTIFIER,
    ) -> None:
        """Take this machine's clock, beside that by which all nodes go."""
        self._nodes = nodes
        self._agent = agent
        self._channels = channels
        self._clock = nodes.shared_clock(clock)
        self._news = news
        self._own_clock = clock
        self._clock_is_off = False
        self._known: Sequence[Node] = ()
        self._warned: set[str] = set()

    async def run(self) -> None:
        """Look and show until cancelled."""
        while True:
            seen = self._nodes.changes()
            self._show()
            await self._look()
            self._warn()
            await self._nodes.wait_for_change(seen, _EVERY)

    async def join(self, renew: Callable[[], Awaitable[None]]) -> None:
        """Let the others know of this node, and know of them, before it listens to a platform.

        `renew` proves that it lives. Raises StoreUnavailable.
        """
        self._show()
        await renew()
        await self._look()

    def _show(self) -> None:
        """Set what the others are shown with the next sign of life."""
        channels = {one.name: one.health.value for one in self._channels()}
        said = NodeReport(agent=self._agent, clock=self._clock_off(), channels=channels)
        self._nodes.set_report(said.model_dump_json())
        self._warn_of_clock(said.clock)

    async def _look(self) -> None:
        """Look which nodes there are."""
        try:
            self._known = await self._nodes.list_nodes(TURNS)
        except StoreUnavailable as error:
            log_store_failure(log.info, "the other nodes are not seen: %s", error)

    async def others(self) -> bool:
        """Return whether somebody else could go on with our work now."""
        try:
            async with asyncio.timeout(_PARTING):
                self._known = await self._nodes.list_nodes(TURNS)
        except (StoreUnavailable, TimeoutError):
            return False
        return self.has_others()

    def has_others(self) -> bool:
        """Return whether another node was alive when they were looked at last."""
        return any(node.alive and node.name != self._nodes.name for node in self._known)

    def crossing(self) -> float:
        """Return the seconds in which another node may yet store what was said before what is stored here."""
        if not self.has_others():
            return 0.0
        began = max(node.since for node in self._known if node.alive)
        return CROSSING_OF_NEW if self._clock() - began < _NEW else CROSSING

    def reports(self) -> tuple[HealthReport, ...]:
        """Return one about all nodes; nothing where there can be one only."""
        alive = [node for node in self._known if node.alive]
        if not alive:
            return ()
        detail = f"{len(alive)}: {', '.join(map(_line, alive))}"
        wrong = list(self._wrong_here())
        health = Health.RETRYING if wrong else Health.UP
        return (HealthReport(NODES, health, "; ".join([detail, *wrong]), self._clock()),)

    def _wrong_here(self) -> Iterator[str]:
        if self._news.deaf:
            yield "notices of other nodes do not arrive here (store.listen_url, docs/nodes.md)"
        if off := self._clock_off():
            yield f"here the {off} (docs/nodes.md)"

    def _clock_off(self) -> str:
        """Return how far this machine's clock is off that of the database; "" where both agree."""
        ahead = self._own_clock() - self._clock()
        if abs(ahead) < _MOST_APART:
            return ""
        return f"clock is {abs(ahead):.0f} s {'ahead' if ahead > 0 else 'behind'}"

    def _warn_of_clock(self, off: str) -> None:
        if off and not self._clock_is_off:
            log.warning(
                "this machine's %s, by the database's: set it right, platforms refuse or misread what is "
                "signed by it (docs/nodes.md)", off,
            )  # fmt: skip
        if self._clock_is_off and not off:
            log.warning("this machine's clock agrees with the database's again")
        self._clock_is_off = bool(off)

    def _warn(self) -> None:
        for node in self._known:
            agent = parse_node_report(node).agent
            if node.alive and agent and agent != self._agent and node.name not in self._warned:
                self._warned.add(node.name)
                log.warning(
                    "node %s asks another agent (%s): nodes of one store need one agent", node.name, agent
                )


async def join_cluster(
    store: Store, agent: str, channels: Callable[[], Sequence[HealthReport]], clock: Callable[[], float]
) -> ClusterMembership:
    """Return this node among the others, which know of it already. Raises StoreUnavailable."""
    joined = ClusterMembership(store.nodes, agent, channels, clock, store.news)
    await joined.join(store.renew)
    return joined


def _line(node: Node) -> str:
    clock = parse_node_report(node).clock
    remarks = [*node.holds, *((clock,) if clock else ())]
    return f"{node.name} ({', '.join(remarks)})" if remarks else node.name


@asynccontextmanager
async def lease_embedded_agent(
    nodes: NodeRegistry, patience: float = LEASE_SECONDS + 2.0
) -> AsyncIterator[None]:
    """Be the one node whose agent lives inside; one that died is waited for. Raises ConfigError."""
    seat, stood = ExclusiveLease(nodes, _AGENT), asyncio.Event()
    holder = ""

    def stand_by(why: str) -> None:
        nonlocal holder
        holder = why

    async def hold() -> None:
        while True:
            try:
                async with seat.acquire(stand_by):
                    stood.set()
                    await asyncio.Event().wait()
            except ConnectionLeaseLost as error:
                log.warning("%s", error)

    holding = asyncio.create_task(hold())
    try:
        try:
            async with asyncio.timeout(patience):
                await stood.wait()
        except TimeoutError as error:
            raise ConfigError(
                f"agent.url: embedded is for one node, and {holder.removesuffix(' has the connection')} runs "
                "it on this store; write agent_server.database: store on every node, or start `parley agent` "
                "once and write its address here on every node (docs/nodes.md)"
            ) from error
        yield
    finally:
        holding.cancel()
        await asyncio.wait({holding})
