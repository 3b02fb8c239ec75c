"""Stopping a turn that another node works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from parley.core.inbound.turn_queue import ConversationQueue
from parley.core.model.address import Conversation
from parley.core.ports.pubsub import Notifier

_TOPIC = "stop"

Turn = TypeVar("Turn")


class Stoppable(Protocol):
    """A turn that is under way here."""

    def stop(self) -> bool:
        """End the agent's part soon, keeping what was said; False when it is over already."""
        ...


class RemoteStop:
    """Asks other nodes to stop turns, and stops those of `turns`, by conversation, that they ask for.

    A run that is known is cancelled on its server by whoever is asked to; this is for turns whose run is not
    there yet, or whose agent server is away.
    """

    def __init__(self, news: Notifier, turns: Mapping[str, Stoppable]) -> None:
        self._news = news
        self._turns = turns
        news.subscribe(_TOPIC, self)

    async def ask(self, conversation: Conversation, queue: ConversationQueue) -> bool:
        """Ask whoever works the first turn of `queue`; False when nobody can. Raises StoreUnavailable."""
        if not self._news.shared or not queue.running:
            return False
        await self._news.publish(_TOPIC, conversation.key)
        return True

    def on_message(self, text: str) -> None:
        """Another node was asked to stop a conversation's turn."""
        turn = self._turns.get(text)
        if turn is not None:
            turn.stop()

    def on_gap(self) -> None:
        """Do nothing: who asked has cancelled the run as well."""


@contextmanager
def registered(turns: MutableMapping[str, Turn], conversation: str, turn: Turn) -> Iterator[None]:
    """Have `turn` in `turns` while open, unless another attempt takes its place: that one stays then.

    A node that lost a lane for a moment may begin its turn anew before the first attempt has noticed.
    """
    turns[conversation] = turn
    try:
        yield
    finally:
        if turns.get(conversation) is turn:
            del turns[conversation]
