"""Channels whose platform serves one connection only."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class ExclusiveConnection(Protocol):
    """A channel that says whether its platform gives all events to one connection, and drops an older one.

    Where it does, one node listens; where not, every node.
    """

    held_by_one: bool
