"""What happens to connections, each as a function that ends when the channel got over it.

Its docstring is its row in docs/reconnects.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from parley.core.ports.health import Health
from tests.reconnect.platform_rigs import Rig
from tests.reconnect.scenario import Stage

SEVERAL = 4
"""Tries to connect that fail before a platform is there again."""


def _has_another_connection(stage: Stage, seen: int) -> bool:
    return stage.scene.watch.connections > seen


async def dropped(stage: Stage) -> None:
    """The server drops the connection without a word, twice."""
    for number in (1, 2):
        connected = stage.scene.watch.connections
        stage.rig.drop_connection()
        await stage.scene.until(partial(_has_another_connection, stage, connected), "another one")
        await stage.asks(f"after drop {number}")
    await stage.others_go_on()


async def reset(stage: Stage) -> None:
    """Something on the way resets every TCP connection, those of calls too."""
    stage.rig.relay.cut()
    await stage.retries()
    await stage.others_go_on()
    await stage.asks("after")


async def announced(stage: Stage) -> None:
    """The server says that it ends the connection, and does."""
    stage.rig.goodbye()
    await stage.asks("after")
    await stage.others_go_on()


async def silent(stage: Stage) -> None:
    """The other end stops without a FIN: a half-open connection, over which nothing comes any more."""
    stage.rig.relay.freeze()
    stage.says("into the silence")
    await stage.retries()
    await stage.others_go_on()
    await stage.asks("after")


async def expired(stage: Stage) -> None:
    """The ticket for the connection has expired when it is used, four times in a row."""
    stage.rig.spoil(True)
    stage.rig.relay.cut()
    await stage.tries(SEVERAL)
    stage.says("meanwhile")
    await stage.retries()
    await stage.others_go_on()
    stage.rig.spoil(False)
    await stage.asks("after")


async def crowded(stage: Stage) -> None:
    """Other programs have taken all connections that the platform allows, and leave after a while."""
    await stage.rig.relay.shut()
    async with stage.rig.crowded():
        await stage.rig.relay.open()
        await stage.retries(stage.rig.limit)
        stage.says("meanwhile")
        await stage.others_go_on()
    await stage.asks("after")


async def gone(stage: Stage) -> None:
    """The network is gone: the port is closed while four attempts and their back-offs pass."""
    await stage.rig.relay.shut()
    stage.says("meanwhile 1")
    await stage.tries(SEVERAL)
    stage.says("meanwhile 2")
    await stage.retries()
    await stage.others_go_on()
    await stage.rig.relay.open()
    await stage.asks("after")


async def refused(stage: Stage) -> None:
    """The token is refused: seen within ten seconds, shown as refused, and not tried again; others go on."""
    stage.rig.revoke()
    report = stage.scene.process.supervisor.report
    await stage.scene.until(lambda: report().health is Health.REFUSED, "to be shown as refused")
    tried = stage.scene.watch.connections
    assert report().detail
    assert any("is stopped" in line for line in stage.scene.log.lines)
    await stage.others_go_on()
    assert (report().health, stage.scene.watch.connections) == (Health.REFUSED, tried)


@dataclass(frozen=True)
class Disruption:
    """One row: what happens, and which platforms it can happen to."""

    happens: Callable[[Stage], Awaitable[None]]
    applies: Callable[[type[Rig]], bool] = lambda rig: True
    speaks: bool = False
    """Whether people say something meanwhile."""

    @property
    def name(self) -> str:
        """Of the test."""
        return self.happens.__name__

    @property
    def sentence(self) -> str:
        """For people."""
        return " ".join((inspect.getdoc(self.happens) or "").split())

    def outcome(self, rig: type[Rig]) -> str:
        """What the test of a platform has shown when it is green."""
        if not self.applies(rig):
            return "–"
        if self.happens is refused:
            return "refused"
        return "back, lost *n*" if self.speaks and not rig.keeps else "back"


DISRUPTIONS: tuple[Disruption, ...] = (
    Disruption(dropped),
    Disruption(reset),
    Disruption(announced, lambda rig: rig.farewells),
    Disruption(silent, speaks=True),
    Disruption(expired, lambda rig: rig.tickets, speaks=True),
    Disruption(crowded, lambda rig: bool(rig.limit), speaks=True),
    Disruption(gone, speaks=True),
    Disruption(refused),
)
