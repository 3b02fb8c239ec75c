"""What the platforms do wrong meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.chaos.board import Board
from tests.chaos.place import Chaotic
from tests.chaos.plan import Fault


async def trouble(platforms: Mapping[str, Chaotic], faults: Sequence[Fault], board: Board) -> None:
    """Make each fault happen in its time."""
    for fault in faults:
        await board.until_answers(fault.answers)
        platforms[fault.platform].cause(fault.trouble)
