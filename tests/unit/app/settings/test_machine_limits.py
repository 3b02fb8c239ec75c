"""How many turns a machine is taken to carry."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from parley.app.settings.machine_limits import (
    FEWEST,
    MOST,
    memory_limit,
    turns_of_this_machine,
    turns_that_fit,
)

MB, MANY = 1_000_000, 1_000_000


@pytest.mark.parametrize(
    ("memory", "files", "turns"),
    [
        (256 * MB, MANY, 280),
        (512 * MB, MANY, 1_560),
        (16_000 * MB, MANY, MOST),
        (16_000 * MB, 1_024, 719),
        (16_000 * MB, 2_048, 1_538),
        (64 * MB, 64, FEWEST),
    ],
)
def test_what_fits_is_what_runs_out_first(memory: int, files: int, turns: int) -> None:
    assert turns_that_fit(memory, files) == turns


def test_a_container_may_have_less_memory_than_its_machine(tmp_path: Path) -> None:
    group = tmp_path / "memory.max"
    whole = memory_limit(group)
    assert whole > 64 * MB
    for text, expected in (("max\n", whole), ("268435456\n", 268_435_456), (f"{2**62}\n", whole)):
        group.write_text(text)
        assert memory_limit(group) == expected


def test_the_limit_of_open_files_counts_where_nothing_is_configured() -> None:
    """In a process of its own, which the shell limits."""
    program = "from parley.app.settings.schema.manager import ManagerSection as S; print(S().max_turns)"
    limited = f'ulimit -S -n 512 && exec "{sys.executable}" -c "{program}"'
    said = subprocess.run(["/bin/sh", "-c", limited], capture_output=True, text=True, check=True)
    assert int(said.stdout) == min(512 * 4 // 5 - 100, turns_of_this_machine())
