"""Lessons that are held while they are under way, by a file for each person."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parley.memory.learning.extraction.rules import RuleExtractor
from tests.kit.machine import patience

VARIABLE = "PARLEY_CHAOS_LESSONS"
"""The folder of the files, for the process that learns."""
_PAUSE = 0.02
_BEGUN = 10.0


@dataclass(frozen=True)
class LessonHolds:
    """Holds lessons of accounts; the process that learns says in the folder which it holds."""

    folder: Path

    def hold(self, account: int) -> None:
        """Let the next lesson of an account begin, and not end."""
        self.folder.mkdir(exist_ok=True)
        (self.folder / str(account)).touch()

    def begun(self, account: int) -> bool:
        """Wait until such a lesson is under way; False where none begins: its process was killed."""
        end = time.monotonic() + patience(_BEGUN)
        while not (there := (self.folder / f"{account}.begun").exists()) and time.monotonic() < end:
            time.sleep(_PAUSE)
        return there

    def release(self, account: int) -> None:
        """Let it end."""
        for name in (str(account), f"{account}.begun"):
            (self.folder / name).unlink(missing_ok=True)


def obey(folder: Path) -> None:
    """Let the lessons of this process be held."""
    extract = RuleExtractor.extract

    async def held(self: RuleExtractor, material: Any, *given: Any) -> Any:  # noqa: ANN401 - as the original
        account = material.person.rpartition(":")[2]
        while await asyncio.to_thread((folder / account).exists):
            await asyncio.to_thread((folder / f"{account}.begun").touch)
            await asyncio.sleep(_PAUSE)
        return await extract(self, material, *given)

    RuleExtractor.extract = held  # type: ignore[method-assign,assignment]
