"""How a channel, the agent or a node is, as operators see it."""

import math
from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    """How a channel or the agent is."""

    STARTING = "starting"
    UP = "up"
    RETRYING = "retrying"
    STANDBY = "standby"
    """Another node has the one connection that there may be."""
    REFUSED = "refused"
    OFF = "off"


CONNECTED = "connected"
"""What a channel that is up says, unless something is wrong all the same."""
NODES = "nodes"
"""The name of the report about all nodes, where there may be several."""
WAITING = "waiting"
"""The name of the report about work of channels that are not on, where there is some."""


@dataclass(frozen=True, slots=True)
class SystemLoad:
    """What there is to do: `turns` under way in this process, conversations that wait for one and the seconds
    for which the oldest has, the same of people that memory is to learn about, and the seconds that the
    store took for its last synced write (not a number before the first).
    """

    turns: int = 0
    waiting: int = 0
    oldest: float = 0.0
    learning: int = 0
    learning_oldest: float = 0.0
    store_latency: float = math.nan


async def no_load() -> SystemLoad:
    """Tell nothing."""
    return SystemLoad()


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Health, since when, and why, in words for an operator."""

    name: str
    health: Health
    detail: str
    since: float
