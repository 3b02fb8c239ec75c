"""Which database has what: conversations by their bucket, and what is of none in the first."""

from __future__ import annotations

from parley.core.model.queues import BUSY_SIGNALS, CLEARING, COMMANDS, TURNS
from parley.core.state.conversations import CONVERSATION_PREFIX
from parley.store.buckets import bucket_of

FIRST = 0
"""The database of what is of no conversation: counts, persons, questions, feedback, memory."""

OF_CONVERSATIONS = frozenset({TURNS, COMMANDS, BUSY_SIGNALS, CLEARING})
"""The kinds of queues whose lanes are conversations."""

APART = 1 << 40
"""Item ids of a database begin that far beyond those of the one before, so that none is used twice."""


def place_of_lane(queue: str, lane: str, databases: int) -> int:
    """The number of the database that has a lane."""
    return bucket_of(lane) % databases if queue.partition("/")[0] in OF_CONVERSATIONS else FIRST


def place_of_document(key: str, databases: int) -> int:
    """The number of the database that has a document."""
    if not key.startswith(CONVERSATION_PREFIX):
        return FIRST
    return bucket_of(key.removeprefix(CONVERSATION_PREFIX)) % databases


def place_of_item(item: int) -> int:
    """The number of the database that gave an item its id."""
    return item // APART
