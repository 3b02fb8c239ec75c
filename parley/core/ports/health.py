"""How a channel, the agent or a node is, as operators see it."""

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


@dataclass(frozen=True, slots=True)
class HealthReport:
    """Health, since when, and why, in words for an operator."""

    name: str
    health: Health
    detail: str
    since: float
