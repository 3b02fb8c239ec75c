"""kill -9 around a tool's write: its person reads of every fact that was saved, and of no other."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.kit.checkout import ROOT
from tests.kit.machine import patience
from tests.unit.memory.tools.killed_child import FACT
from tests.unit.memory.tools.scene import scene


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_fact_is_told_if_and_only_if_it_was_written(tmp_path: Path, when: str) -> None:
    command = [sys.executable, "-m", "tests.unit.memory.tools.killed_child", str(tmp_path), when]
    child = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    async with asyncio.timeout(patience(60)):
        assert await child.wait() == -signal.SIGKILL
    async with scene(tmp_path) as here:  # the turn goes on, and its agent calls no tool again
        await here.core.channel.until_finals(1)
        saved = [fact.content for fact in (await here.memory.overview("test:ann")).facts]
        assert saved == ([FACT] if when == "after" else [])
        assert (f"Remembered: {FACT}" in here.answer) == (when == "after")
        assert not await here.core.journal.list("tool-changes/")
