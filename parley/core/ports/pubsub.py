"""What one node tells the others at once. Nothing of it is kept: what must not be lost is in the journal."""

from __future__ import annotations

from typing import Protocol


class Subscriber(Protocol):
    """Who listens to a topic."""

    def on_message(self, text: str) -> None:
        """Another node told this."""
        ...

    def on_gap(self) -> None:
        """Look at what is kept: something may have been told that was not heard."""
        ...


class Notifier(Protocol):
    """Telling the other nodes. `shared` says that there may be any."""

    @property
    def shared(self) -> bool:
        """Return whether other nodes may work on the same store: then a folder is this node's only."""
        ...

    @property
    def deaf(self) -> bool:
        """Return whether what other nodes tell does not arrive here."""
        ...

    async def publish(self, topic: str, text: str) -> None:
        """Tell every node that listens now, in the order of the calls. Raises StoreUnavailable."""
        ...

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        """From now on `follower` hears what other nodes tell."""
        ...


class NullNotifier:
    """Of a node that is alone."""

    shared = False
    deaf = False

    async def publish(self, topic: str, text: str) -> None:
        """Nobody is there."""

    def subscribe(self, topic: str, follower: Subscriber) -> None:
        """Nothing will be told."""


NULL_NOTIFIER: Notifier = NullNotifier()
