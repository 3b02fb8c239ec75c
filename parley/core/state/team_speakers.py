"""The index of who spoke for which team: made for memories of an older Parley."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from parley.core.model.errors import MemoryFailed, StoreUnavailable
from parley.core.ports.journal import log_store_failure
from parley.core.ports.memory.port import Memory
from parley.core.state.team_chats import TeamChats

log = logging.getLogger(__name__)

_SETTLED = 86_400.0
"""Seconds after the first look in which starts look again: nodes of an older Parley may run beside it."""
_PAUSE = 0.02
_LATER = 60.0


async def keep_team_speakers(teams: TeamChats, memory: Memory, clock: Callable[[], float]) -> None:
    """Look through the memories of all teams once, slowly, and note who spoke there."""
    while True:
        try:
            await index_team_speakers(teams, memory, clock)
        except (StoreUnavailable, MemoryFailed) as error:
            log_store_failure(log.warning, "who spoke for teams is not known yet: %s", error)
            await asyncio.sleep(_LATER)
        else:
            return


async def index_team_speakers(teams: TeamChats, memory: Memory, clock: Callable[[], float]) -> None:
    """Note who spoke for each team, unless that is known. Raises StoreUnavailable, MemoryFailed."""
    walked = await teams.walked_at()
    if walked is not None and clock() - walked > _SETTLED:
        return
    async for team in teams.teams():
        facts = (await memory.overview(team)).facts
        for account in {account for fact in facts for account in fact.accounts if account}:
            await teams.note_speaker(team, account)
        await asyncio.sleep(_PAUSE)
    await teams.note_walk(clock())
