"""What came out of one installation, or of several together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tests.chaos.planning.scale import Edition


@dataclass(frozen=True, slots=True)
class Result:
    """Numbers are summed over installations, `slowest` ones are the worst; lists name messages.

    `stalls` are times in which a node stood still though nothing was done to it. `doubtful` and `tracebacks`
    are counted in logs, `unfinished` and `dead` in the store. `slowest_start` is from a kill to all being up,
    `slowest_answer` from there to the next answer, `longest_wait` and `usual_wait` (the median) from saying
    something to its answer, in seconds. `moved` are replies that another process went on with, `overlaps`
    where two wrote to one, `excused` where they did as a node stood still, and `runs_doubled` turns that were
    run twice, or threads that were run twice at once.
    """

    edition: Edition
    installations: int = 1
    conversations: int = 0
    turns: int = 0
    said: dict[str, int] = field(default_factory=dict)
    answered: int = 0
    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    reordered: tuple[str, ...] = ()
    files_lost: tuple[str, ...] = ()
    files_doubled: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    missed: int = 0
    swapped: int = 0
    stubs: int = 0
    blows: dict[str, int] = field(default_factory=dict)
    parley_kills: int = 0
    agent_kills: int = 0
    ended: int = 0
    stalls: int = 0
    faults: int = 0
    repeated_posts: int = 0
    doubtful: int = 0
    tracebacks: int = 0
    unfinished: int = 0
    dead: int = 0
    runs: int = 0
    runs_doubled: tuple[str, ...] = ()
    moved: int = 0
    overlaps: tuple[str, ...] = ()
    excused: int = 0
    slowest_start: float = 0.0
    slowest_answer: float = 0.0
    longest_wait: float = 0.0
    usual_wait: float = 0.0
    slowest_run: float = 0.0

    @property
    def wrong(self) -> dict[str, object]:
        """What must not be, by name; empty when all is well."""
        found: dict[str, object] = {
            name: getattr(self, name)
            for name in (
                *("lost", "doubled", "reordered", "files_lost", "overlaps", "runs_doubled"),
                *("unfinished", "dead", "tracebacks"),
            )
        }
        # One doubt is about a turn's whole answer: its text and its file may both stand there twice.
        twice = {*self.files_doubled, *self.repeated}
        if len(twice) > self.doubtful:
            found["doubled without a doubt"] = f"{', '.join(sorted(twice))}; doubts: {self.doubtful}"
        missing = self.turns - self.answered - self.missed - len(self.lost)
        return {name: value for name, value in found.items() if value} | (
            {"not accounted for": missing} if missing else {}
        )

    def write(self, file: Path) -> None:
        """Keep it as JSON."""
        file.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, file: Path) -> Result:
        """What was written."""
        kept: dict[str, Any] = json.loads(file.read_text())
        return cls(**kept | {name: tuple(value) for name, value in kept.items() if isinstance(value, list)})


def together(results: Sequence[Result]) -> Result:
    """The results of installations of one edition as one."""
    joined: dict[str, Any] = {
        each.name: _joined([getattr(one, each.name) for one in results]) for each in fields(Result)
    }
    return Result(**joined)


def _joined(values: Sequence[object]) -> object:
    first = values[0]
    if isinstance(first, str):
        return first
    if isinstance(first, float):
        return max(value for value in values if isinstance(value, float))
    if isinstance(first, int):
        return sum(value for value in values if isinstance(value, int))
    if isinstance(first, dict):
        bags = [value for value in values if isinstance(value, dict)]
        return {
            name: sum(bag.get(name, 0) for bag in bags) for name in dict.fromkeys(k for b in bags for k in b)
        }
    return tuple(one for value in values if isinstance(value, tuple) for one in value)
