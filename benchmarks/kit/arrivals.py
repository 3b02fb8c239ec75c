"""Traffic that arrives whether or not anybody is ready for it, and who writes it."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from parley.core.model.address import Conversation, User
from parley.core.model.types import InboundMessage

SEEDED = 100
"""Persons that a store has before it is multiplied."""

TEXT = "Tell me something in twenty words, please."
_MARK = "~"
_STRIDE = 7919  # a prime: who writes next is somewhere else in the store


def copy_name(copy: int) -> str:
    """Return what the names of all persons of a copy begin with; copy 0 is what the real code wrote."""
    return f"p{copy:07d}-"


def person_name(number: int) -> str:
    """Return the id of a person, from 0."""
    return f"{copy_name(number // SEEDED)}{number % SEEDED:03d}"


@dataclass(slots=True)
class Writers:
    """So many persons, who write in turn; of several nodes each hears others, until all have written."""

    people: int
    node: int = 0
    nodes: int = 1
    _written: int = 0

    def next_person(self) -> str:
        """Return who writes next."""
        number = self._written * self.nodes + self.node
        self._written += 1
        return person_name(number * _STRIDE % self.people)


def arrival_times(rate: float, seconds: float, chance: random.Random) -> Iterator[float]:
    """Yield the moments of a Poisson process of `rate` a second, from 0 to `seconds`."""
    at = chance.expovariate(rate)
    while at < seconds:
        yield at
        at += chance.expovariate(rate)


def said(person: str, identity: str, text: str = TEXT) -> InboundMessage:
    """Return a private message of somebody."""
    return InboundMessage(
        id=identity,
        conversation=Conversation("null", person),
        sender=User("null", person, "A person"),
        text=text,
        addressed=True,
        private=True,
        sent_at=time.time(),
    )


def due_id(person: str, due: float, node: int, number: int) -> str:
    """Return the id of a message that was due at this moment of `time.monotonic`, one clock for all.

    It begins with whose chat it is, as ids of Slack and Telegram do: ids that arrive together are far apart.
    """
    return f"{person}:{due:.6f}{_MARK}{node}{_MARK}{number}"


def parse_due(identity: str) -> float:
    """Return when a message was due. Raises ValueError for an id of another kind."""
    return float(identity.rpartition(":")[2].partition(_MARK)[0])
