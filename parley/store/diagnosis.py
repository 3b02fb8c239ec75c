"""What an engine tells a doctor: that it takes a write and gives it back, and how much it holds."""

from __future__ import annotations

from dataclasses import dataclass, field

PROBE_PREFIX = "doctor/"
"""Documents under it are written and removed again by a probe."""


@dataclass(frozen=True, slots=True)
class StoreProbe:
    """What came of a write that was synced, and of reading it back. Times are seconds.

    `schema` is the version that was found (0: none yet), `newest` that of this program: where the two
    differ the tables were left alone. Of a server: by how much its clock is `ahead` of ours, how many of its
    sessions wait for another (`waiting_locks`), which settings let a crash lose what was acknowledged
    (`unsafe`), the `nodes` that work on it now, whether the way there is `encrypted`, or need not be, and
    whether what we write to its log is `compressed`.
    """

    schema: int
    newest: int
    write: float = 0.0
    read: float = 0.0
    ahead: float = 0.0
    waiting_locks: int = 0
    server: str = ""
    unsafe: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    encrypted: bool = True
    compressed: bool = True


@dataclass(frozen=True, slots=True)
class StoreStatistics:
    """Numbers of rows, without a word of what is in them.

    `items` are counts and the age of the oldest in seconds, by queue and state; `documents` counts by the
    first part of their keys.
    """

    engine: str
    schema: int
    bytes: int
    items: tuple[tuple[str, str, int, float], ...] = ()
    documents: dict[str, int] = field(default_factory=dict)
