"""Walks on simulated platforms that stand for real ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from parley.app.live.compare import Comparison, compare
from parley.app.live.recording import Recording, read_recording
from parley.app.live.replay import replay
from parley.app.live.shapes import read_shape
from parley.app.live.steps import STEPS
from tests.kit.doubles.leaping_clock import LeapingClock

LIVE = ("slack", "telegram", "feishu", "dingtalk")
EVERY = tuple(step.name for step in STEPS)
QUICK = 0.02
"""Seconds between two snapshots of the long answer."""
LIMITS = LeapingClock()
"""Counts rate limits, on the platforms and in the channels."""


def plan(platform: str, steps: Sequence[str] = EVERY) -> Recording:
    """A recording that says only which steps were done."""
    heard = [
        {"kind": "heard", "step": step.name, "what": "message", "text": "xxxx xx"}
        for step in STEPS
        for _ in range(step.count)
        if step.name in steps
    ]
    return Recording(platform, tuple(heard))


async def walk(platform: str, folder: Path, steps: Sequence[str] = EVERY) -> Recording:
    """Do these steps on the platform's simulator, and read what was recorded."""
    folder.mkdir()  # noqa: ASYNC240 - nothing else runs
    await replay(plan(platform, steps), folder / "recording.jsonl", folder, QUICK)
    return read_recording(folder / "recording.jsonl")


def compared(platform: Recording, simulator: Recording) -> Comparison:
    """What is found between two recordings."""
    return compare(read_shape(platform), read_shape(simulator))
