"""What the platforms do wrong meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.chaos.accounting.progress import ProgressBoard
from tests.chaos.planning.plan import PlatformFault
from tests.chaos.platforms.conversations import FaultyPlatform


async def inject_platform_faults(
    platforms: Mapping[str, FaultyPlatform], faults: Sequence[PlatformFault], board: ProgressBoard
) -> None:
    """Make each fault happen in its time."""
    for fault in faults:
        await board.until_answers(fault.answers)
        platforms[fault.platform].cause(fault.trouble)
