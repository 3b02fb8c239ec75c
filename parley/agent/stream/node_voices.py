"""Which nodes of a graph speak to people, and whose words are for the graph only (pure)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from parley.agent.stream.steps import PLUMBING

_HELD = 200
"""Characters of an unknown node that are held back until it shows what becomes of them."""

_MOST_NODES = 1_000


class NodeVoices:
    """What is known of an assistant's nodes, from its graph and from earlier runs; all its runs share it."""

    def __init__(self, last: Collection[str] = ()) -> None:
        """`last` are the nodes that a run may end with: their words go to people."""
        self._speaks = dict.fromkeys(last, True)

    def speaks(self, node: str) -> bool | None:
        """Whether what its models say becomes part of the answer; None where nothing is known yet."""
        known = self._speaks.get(node)
        return True if known is None and node.lower() in PLUMBING else known

    def learn(self, node: str, *, speaks: bool) -> None:
        """Take note of what became of a node's words."""
        if node in self._speaks or len(self._speaks) < _MOST_NODES:
            self._speaks[node] = speaks


@dataclass(frozen=True, slots=True)
class _Place:
    node: str
    task: str


class Drafts:
    """The messages of one run that no node has returned yet: a graph may keep them, or only read them."""

    def __init__(self, voices: NodeVoices) -> None:
        self._voices = voices
        self._open: dict[str, _Place] = {}
        self._dropped: set[str] = set()

    def heard(self, message_id: str, node: str, task: str) -> None:
        """A model speaks within a node; `task` tells the parallel ones of a node apart."""
        if message_id and node and message_id not in self._open:
            self._open[message_id] = _Place(node, task)

    def holds(self, message_id: str, length: int) -> bool:
        """Whether a message of this length is not to be shown, or not yet."""
        if message_id in self._dropped:
            return True
        if (place := self._open.get(message_id)) is None:
            return False
        speaks = self._voices.speaks(place.node)
        return length < _HELD if speaks is None else not speaks

    def settle(self, node: str, kept: Collection[str], says: Callable[[str], bool | None]) -> None:
        """A node ended and returned the messages `kept`; drop what else it said.

        `says` tells whether it returned a message's words elsewhere, None for a message without any; where
        those are `kept` messages, they take its place. Of parallel tasks of one node, only that is settled
        which returned a message that was heard.
        """
        mine = {each: place for each, place in self._open.items() if place.node == node}
        tasks = set(mine.values())
        if len(tasks) > 1:
            tasks = {place for each, place in mine.items() if each in kept}
        for each, place in mine.items():
            if place in tasks:
                del self._open[each]
                stays = True if each in kept else says(each)
                if stays is not None:
                    self._voices.learn(node, speaks=stays)
                if each not in kept and (not stays or kept):
                    self._dropped.add(each)
