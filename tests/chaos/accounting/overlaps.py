"""Whether two nodes ever worked one conversation at once: seen from what they wrote, and from their runs."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from parley.core.ports.channel import Channel
from tests.chaos.accounting.network_tap import Write

WRITTEN_ONCE_MORE = Channel.longest_call
"""Seconds after the last write of whoever finished a turn that was taken over: from then on any node may
write the answer once more. No call of before is under way any more, and no freeze of the plan is so long.
"""


@dataclass(frozen=True, slots=True)
class Span:
    """A time in which a node could not hold on to its work (monotonic seconds)."""

    node: str
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Writers:
    """Of messages that were written to more than once: how many went on by another node (or another life of
    one), and which were written by a node that had lost them to one that did not lose them in its turn."""

    moved: int
    overlaps: tuple[str, ...]


def writers(writes: Sequence[Write], spans: Sequence[Span]) -> Writers:
    """Who wrote to which message, after whom."""
    by_message = defaultdict[str, list[Write]](list)
    for write in sorted(writes, key=lambda write: write.at):
        by_message[write.message].append(write)
    moved = [each for each in by_message.values() if len({(one.node, one.life) for one in each}) > 1]
    return Writers(len(moved), tuple(found for each in moved for found in _returns(each, spans)))


def _returns(writes: Sequence[Write], spans: Sequence[Span]) -> list[str]:
    """Where a node writes again after another one did, which was not hit meanwhile, and soon."""
    found, last = list[str](), dict[tuple[str, int], int]()
    for place, write in enumerate(writes):
        who = (write.node, write.life)
        before = last.get(who, place)
        between = writes[before + 1 : place]
        others = [one for one in between if (one.node, one.life) != who]
        soon = bool(others) and write.at - others[-1].at < WRITTEN_ONCE_MORE
        if soon and not _was_hit(others[-1], write.at, spans):
            found.append(f"{write.message}: {write.node} at {write.at:.2f} after {others[-1].node}")
        last[who] = place
    return found


def _was_hit(write: Write, until: float, spans: Sequence[Span]) -> bool:
    """Whether who wrote this could not hold on to it until then."""
    return any(
        span.node in (write.node, "") and span.began <= until and span.ended >= write.at for span in spans
    )


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs on the agent's server: how many, turns that have more than one, and threads with two at once."""

    count: int
    doubled: tuple[str, ...]
    at_once: tuple[str, ...]


def runs(database: Path) -> Runs:
    """What the agent's server has noted; its process has ended."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        rows = connection.execute(
            "SELECT thread_id, created_at, updated_at, metadata FROM runs ORDER BY seq"
        ).fetchall()
    turns = Counter(_turn(json.loads(metadata)) for _, _, _, metadata in rows)
    by_thread = defaultdict[str, list[tuple[float, float]]](list)
    for thread, created, updated, _ in rows:
        by_thread[thread].append((created, updated))
    at_once = tuple(
        thread
        for thread, times in by_thread.items()
        if any(later[0] < earlier[1] for earlier, later in pairwise(times))
    )
    return Runs(len(rows), tuple(turn for turn, count in turns.items() if turn and count > 1), at_once)


def _turn(metadata: Mapping[str, object]) -> str:
    return str(metadata.get("parley_turn", ""))
