"""Neighbour boosting: facts learned just before and after a hit tend to be relevant too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from parley.memory.model.document import Fact

# Shares of a hit's score that its neighbours get, and of a batch's best hit that the whole batch gets.
_BESIDE = 0.15
_BATCH = 0.10
# Only the best hits spread their score: neighbours of a chance hit are not relevant.
_SPREADING = 100
# Larger batches did not come from one conversation, but from an import, for example.
_LARGEST_BATCH = 64
_NO_CONVERSATION = frozenset({"", "manual", "import", "unknown"})

Batch = tuple[str, str]


def batch_of(fact: Fact) -> Batch | None:
    """Return what facts learned together share: the thread and the day; None where nothing tells."""
    day = fact.created_at[:10]
    return None if not day or fact.source in _NO_CONVERSATION else (fact.source, day)


class Neighbours:
    """Slots in the order in which their facts were learned, and the batches that they form."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._members: dict[Batch, list[int]] = {}
        # The batch of each slot whose batch has two facts or more.
        self._together: dict[int, list[int]] = {}
        self._beside: dict[int, list[int]] = {}
        self._last: tuple[int, Batch | None] = -1, None

    def arrange(self, order: Iterable[tuple[int, Batch | None]]) -> None:
        """Set the order of all slots."""
        self._forget()
        for slot, batch in order:
            self.append(slot, batch)

    def append(self, slot: int, batch: Batch | None) -> None:
        """Append a slot that was learned last."""
        before, last = self._last
        self._last = slot, batch
        if batch is None:
            return
        members = self._members.setdefault(batch, [])
        members.append(slot)
        if len(members) > 1:
            self._together[members[0]] = self._together[slot] = members
        if last == batch:
            self._beside.setdefault(before, []).append(slot)
            self._beside[slot] = [before]

    def spread(self, hits: Sequence[tuple[int, float]]) -> dict[int, float]:
        """Return the scores of these hits (best first), and of what was learned with them."""
        spread = dict(hits)
        # Keyed by the first slot of each batch: its members and the score of its best hit.
        best: dict[int, tuple[list[int], float]] = {}
        for slot, score in hits[:_SPREADING]:
            if slot not in self._together:
                continue
            members = self._together[slot]
            best.setdefault(members[0], (members, score))
            for near in self._beside.get(slot, ()):
                spread[near] = spread.get(near, 0.0) + _BESIDE * score
        known = spread.get
        for members, score in best.values():
            if len(members) <= _LARGEST_BATCH:
                share = _BATCH * score
                for slot in members:
                    spread[slot] = known(slot, 0.0) + share
        return spread
