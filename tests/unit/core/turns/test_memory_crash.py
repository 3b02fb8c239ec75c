"""What a person says is found after a crash before any write, and nothing of it after a clear before any."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from parley.core.model.queues import LEARNING
from parley.core.ports.memory.past_turns import PastTurnQuery
from parley.memory.learning.extraction.rules import RuleExtractor
from parley.memory.options import MemoryOptions
from parley.memory.service import MemoryService
from parley.memory.storage.sql import SqlMemoryStore
from tests.kit import waiting
from tests.kit.doubles.core import (
    Core,
    RecordingChannel,
    ScriptedAgent,
    core_on,
    default_options,
    work,
)
from tests.kit.store.gate import Gate, stopping

PERSON, LANE = "test:ann", "test:chat"
OF_MEMORY = ("memory/", "past-turn", "memory-told/")
TOLD = "Remember that I own the boat Zephyr"
OPTIONS = MemoryOptions(debounce_seconds=0.0, max_wait=1.0)


@dataclass
class Installation:
    """A core with a memory of its own, both on a store with a gate."""

    parley: Core
    memory: MemoryService
    gate: Gate

    async def turns_end(self) -> None:
        """Wait until each message is worked, and learned from."""
        journal = self.parley.journal

        async def quiet() -> bool:
            turns = await journal.waiting("turns/test", LANE)
            return not turns and not await journal.waiting(LEARNING, PERSON)

        await waiting.until(quiet, "all to be worked")

    async def kept(self) -> str:
        """All that memory has stored."""
        journal = self.parley.journal
        found = [each for prefix in OF_MEMORY for each in await journal.list(prefix)]
        return "\n".join(each.body for each in found)


@asynccontextmanager
async def installation(folder: Path) -> AsyncIterator[Installation]:
    """Begin, or go on in the same folder; ends as a kill would."""
    gate = Gate(free="memory-told/")  # written in the background, and a clear waits for that
    async with (
        stopping(gate).open(folder / "parley.db") as store,
        core_on(
            store, folder, ScriptedAgent(), RecordingChannel(), default_options(), working=False
        ) as parley,
    ):
        memory = MemoryService(SqlMemoryStore(store), store, RuleExtractor(), OPTIONS)
        parley.services = replace(parley.services, memory=memory, past_turns=memory.past_turns)
        learning = asyncio.create_task(memory.run())
        work(parley, time.time)
        try:
            yield Installation(parley, memory, gate)
        finally:
            await parley.crash()
            learning.cancel()
            await asyncio.gather(learning, return_exceptions=True)


async def test_what_is_said_is_found_once_after_a_crash_before_any_write(tmp_path: Path) -> None:
    crashes = 0
    while await _crashes(tmp_path / str(crashes), crashes):
        crashes += 1
    assert crashes > 8


async def _crashes(folder: Path, writes: int) -> bool:
    """Say something and crash after so many writes; return whether all was done before."""
    async with installation(folder) as here:
        await here.parley.say(TOLD)
        here.gate.left = writes
        stopped = await _stops(here)
    async with installation(folder) as here:
        await here.turns_end()
        (fact,) = await here.memory.search(PERSON, "boat")
        assert "Zephyr" in fact.content
        (turn,) = await here.memory.past_turns.search(PastTurnQuery(PERSON, "boat"))
        assert turn.said == TOLD
    return stopped


@pytest.mark.parametrize("known", [True, False])
async def test_nothing_is_kept_of_what_was_said_before_a_clear_at_any_write(
    tmp_path: Path, *, known: bool
) -> None:
    """Somebody's first turn, or a later one, is under way; its next write comes after the clear."""
    writes = 0
    while await _cleared(tmp_path / str(writes), writes, known=known):
        writes += 1
    assert writes > 8


async def _cleared(folder: Path, writes: int, *, known: bool) -> bool:
    async with installation(folder) as here:
        if known:
            await here.memory.add(PERSON, "Likes tea")
        await here.parley.say(TOLD)
        here.gate.left = writes
        stopped = await _stops(here)
        here.gate.left = float("inf")
        await here.memory.clear(PERSON)
        here.gate.opened.set()
        await here.turns_end()
        assert "Zephyr" not in await here.kept(), f"cleared before write {writes}"
        await here.parley.say("Remember that I own the boat Mistral")
        await here.turns_end()
        assert "Mistral" in (await here.memory.search(PERSON, "boat"))[0].content
    return stopped


async def _stops(here: Installation) -> bool:
    """Return whether the gate stopped a write before everything was done."""
    tasks = [asyncio.ensure_future(each) for each in (here.gate.stopped.wait(), here.turns_end())]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return tasks[0] in done
