"""What a growing reply gained since it was last told: only that goes to other nodes."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import takewhile

from parley.channels.web.chat.event_log import EntryShown

_MOST = 200
"""Growing replies of which the last snapshot is kept; beyond it the longest silent one is let go."""


@dataclass(frozen=True, slots=True)
class ReplyGrowth:
    """The reply `id` has `added` behind the first `kept` characters of the text that was told before.

    `base` and `check` are that text's length and checksum. `shown` is the snapshot without its text, None
    where all but the text is as before.
    """

    id: str
    base: int
    check: int
    kept: int
    added: str
    shown: EntryShown | None


class ToldReplies:
    """The last snapshot of each growing reply, as others know it."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, EntryShown] = OrderedDict()

    def put(self, shown: EntryShown) -> None:
        """Keep a snapshot in place of the one before."""
        self._last[shown.entry.id] = shown
        self._last.move_to_end(shown.entry.id)
        if len(self._last) > _MOST:
            self._last.popitem(last=False)

    def get(self, turn_id: str) -> EntryShown | None:
        """Return the last snapshot of a reply."""
        return self._last.get(turn_id)

    def drop(self, turn_id: str) -> None:
        """Forget a reply: it is told as a whole next time."""
        self._last.pop(turn_id, None)

    def clear(self) -> None:
        """Forget all."""
        self._last.clear()

    def growth(self, shown: EntryShown) -> ReplyGrowth | None:
        """Return what a snapshot has more than the last; None where there is none."""
        last = self.get(shown.entry.id)
        if last is None:
            return None
        before, now = last.entry.text, shown.entry.text
        kept = len(before) if now.startswith(before) else _same(before, now)
        rest = _without_text(shown)
        changed = None if rest == _without_text(last) else rest
        return ReplyGrowth(shown.entry.id, len(before), _checksum(before), kept, now[kept:], changed)

    def grown(self, growth: ReplyGrowth) -> EntryShown | None:
        """Return the snapshot that a growth makes of the last; None where it is of another one."""
        last = self.get(growth.id)
        if last is None or growth.base != len(last.entry.text):
            return None
        if growth.check != _checksum(last.entry.text):
            return None
        shown = growth.shown or last
        return replace(shown, entry=replace(shown.entry, text=last.entry.text[: growth.kept] + growth.added))


def _same(before: str, now: str) -> int:
    """Return how many characters both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, now, strict=False)))


def _without_text(shown: EntryShown) -> EntryShown:
    return replace(shown, entry=replace(shown.entry, text=""))


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
