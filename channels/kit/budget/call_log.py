"""The calls that a platform has counted lately, and who may make the next."""

from __future__ import annotations

from bisect import insort
from collections import deque
from dataclasses import dataclass
from weakref import ReferenceType, WeakKeyDictionary, ref

from parley.channels.kit.budget.limits import CountedCalls, RateLimit
from parley.core.ports.sending import Sending

PROMPT = 2.0
"""Seconds that a final may wait. Room is kept only for those that would wait longer."""
SHORT = 10.0
"""Seconds of a window that is soon over."""
ASK_AGAIN = 5.0
"""Seconds after which a snapshot asks again at the latest: other replies may be over by then."""
PENALTY_LIFE = 600.0
"""Seconds after which one refusal is forgotten."""
MOST_PENALTIES = 5

Rank = tuple[int, int]
"""The priority of a waiting call, and its number: the smallest goes first."""


@dataclass(slots=True)
class _Share:
    """What one reply has shown lately: so many calls since a time, the last of them for a snapshot."""

    began: float
    since: float = 0.0
    calls: int = 0
    snapshot: ReferenceType[Sending] | None = None


class CallLog:
    """What was done of one kind of counted calls. Times are those of the budget's clock."""

    def __init__(self, counted: CountedCalls) -> None:
        self._counted = counted
        self._done: deque[float] = deque(maxlen=max(limit.most for limit in counted.limits))
        self._under_way = 0
        self._waiting: list[Rank] = []
        self._blocked_until = 0.0
        self._penalties, self._forgiven_at = 0, 0.0
        # A reply that was given up must not keep room for ever.
        self._growing: WeakKeyDictionary[object, _Share] = WeakKeyDictionary()

    def is_idle(self, now: float) -> bool:
        """Tell whether nothing that was noted here matters any more."""
        if self._under_way or self._waiting or self._growing or self._blocked_until > now:
            return False
        longest = max(limit.seconds for limit in self._counted.limits)
        return not self._penalties_at(now) and (not self._done or self._done[-1] + longest <= now)

    def begin(self) -> None:
        """Count a call that is made now."""
        self._under_way += 1

    def end(self, now: float) -> None:
        """Note that it is answered. The platform counted it somewhere in between: it counts from now."""
        self._under_way -= 1
        self._done.append(now)

    def refuse(self, seconds: float, now: float) -> None:
        """Note that the platform asks for a pause. Each one makes snapshots half as frequent for a while."""
        self._blocked_until = max(self._blocked_until, now + seconds)
        self._penalties = min(MOST_PENALTIES, self._penalties_at(now) + 1)

    def queue(self, rank: Rank) -> None:
        """Let a call wait."""
        insort(self._waiting, rank)

    def leave(self, rank: Rank) -> None:
        """Let it wait no longer."""
        self._waiting.remove(rank)

    def wait_of(self, rank: Rank, now: float) -> float:
        """Return the seconds until a waiting call may be made."""
        return self._until_room(self._waiting.index(rank), now)

    def snapshot_wait(self, snapshot: Sending, now: float) -> float:
        """Return the seconds until a snapshot may be shown. From now on room is kept for its reply's end."""
        share = self._growing.setdefault(snapshot.reply, _Share(now))
        same = share.snapshot is not None and share.snapshot() is snapshot
        pace = 0.0 if same else share.since + share.calls * self._interval(now) - now
        room = self._until_room(len(self._waiting), now, kept=True)
        return max(self._blocked_until - now, min(ASK_AGAIN, max(0.0, pace, room)))

    def take(self, snapshot: Sending, now: float) -> None:
        """Note that a call for a snapshot is made."""
        share = self._growing[snapshot.reply]
        if share.since + share.calls * self._interval(now) <= now:
            share.since, share.calls = now, 0
        share.calls += 1
        share.snapshot = ref(snapshot)

    def forget(self, reply: object) -> None:
        """Keep no more room for a reply: its end has come."""
        self._growing.pop(reply, None)

    def _until_room(self, before: int, now: float, *, kept: bool = False) -> float:
        """Return the seconds until there is room for a call, after so many others that go first.

        With `kept`, also after those for which room is kept.
        """
        before += self._under_way
        waits = (
            _window_wait(limit, self._done, before + (self._kept(limit, now) if kept else 0), now)
            for limit in self._counted.limits
        )
        return max(0.0, self._blocked_until - now, *waits)

    def _kept(self, limit: RateLimit, now: float) -> int:
        """Return how much of a limit is kept for the ends of replies. Some is always left for snapshots."""
        growing = len(self._growing)
        if limit.seconds <= SHORT:
            # A short window is soon over, and so are few replies so soon: they may begin all at once.
            growing = sum(share.began + limit.seconds <= now for share in self._growing.values())
        soon = limit.most * int(PROMPT // limit.seconds)
        return max(0, min(limit.most - 1, growing * self._counted.final - soon))

    def _interval(self, now: float) -> float:
        """Return the seconds between two calls for snapshots of one reply: all have the same share."""
        single = max(limit.seconds / (limit.most - self._kept(limit, now)) for limit in self._counted.limits)
        return len(self._growing) * single * 2.0 ** self._penalties_at(now)

    def _penalties_at(self, now: float) -> int:
        over = int((now - self._forgiven_at) // PENALTY_LIFE)
        if over > 0:
            self._forgiven_at = now
            self._penalties = max(0, self._penalties - over)
        return self._penalties


def _window_wait(limit: RateLimit, done: deque[float], others: int, now: float) -> float:
    """Return the seconds until a sliding window has room for one more and for others before it."""
    rounds, others = divmod(others, limit.most)
    room, later = limit.most - others, rounds * limit.seconds
    if len(done) < room:
        return later
    return later + max(0.0, done[len(done) - room] + limit.seconds - now)
