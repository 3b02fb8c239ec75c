"""kill -9 while a memory is saved: what is read afterwards is the old one or the new one, whole."""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from pathlib import Path

import pytest


async def output_of(child: str, *arguments: object) -> list[str]:
    """The lines that a script of this folder prints."""
    module = f"tests.unit.memory.storage.{child}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *map(str, arguments), stdout=asyncio.subprocess.PIPE
    )
    lines = (await process.communicate())[0].decode().splitlines()
    assert process.returncode == 0
    return lines


@pytest.mark.timeout(180)
async def test_a_save_that_dies_at_any_file_operation_leaves_the_old_or_the_new_memory_whole(
    tmp_path: Path,
) -> None:
    lines = await output_of("dying_child", tmp_path)
    seen: dict[str, list[str]] = defaultdict(list)
    for change, _, _, state in map(str.split, lines):
        seen[change].append(state)
    assert set(seen) == {"beginning", "learning", "forgetting", "noting"}
    for states in seen.values():
        # Old until one instant, new from then on: never anything between, and never back.
        turned = states.index("new")
        assert turned > 10
        assert set(states[:turned]) == {"old"}
        assert set(states[turned:-1]) == {"new"}
        assert states[-1] == "end"


@pytest.mark.timeout(180)
async def test_what_a_killed_process_had_saved_is_there(tmp_path: Path) -> None:
    lines = await output_of("killed_child", tmp_path, "20")
    assert len(lines) == 20
    for told, kept, more in map(str.split, lines):
        assert int(told) > 0
        assert kept == "kept"
        assert int(more) in (0, 1)  # the one that was being saved
