"""kill -9 in the middle of writes: what was acknowledged is there, in order, once."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import sys
from collections import defaultdict
from contextlib import closing
from pathlib import Path

import pytest

from parley.core.model.errors import StoreUnavailable
from parley.store.sqlite import SqliteStore
from tests.unit.store.sqlite.crash_child import LANES

ROUNDS = 6


async def start(path: Path) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader]:
    """A child that has begun to write."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.unit.store.sqlite.crash_child", str(path), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    return child, child.stdout


async def crash_after(path: Path, lines: int) -> list[bytes]:
    """Let a child write, kill it after so many acknowledgements; returns all it gave."""
    child, output = await start(path)
    given = [await output.readline() for _ in range(lines)]
    child.kill()
    given += (await output.read()).splitlines(keepends=True)
    await child.wait()
    return [line for line in given if line.endswith(b"\n")]


async def audit(path: Path, acknowledged: dict[str, set[int]]) -> None:
    async with SqliteStore.open(path) as store:
        for lane in LANES:
            out = [int(item.body) for item in await store.waiting("out", lane)]
            waiting = [int(item.body) for item in await store.waiting("in", lane)]
            numbers = out + waiting
            assert numbers == list(range(len(numbers)))  # in order, none missing, none twice
            assert acknowledged[lane] <= set(numbers)
            assert int((await store.get(lane)).body or "0") == len(out)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_everything_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    acknowledged: dict[str, set[int]] = defaultdict(set)
    for _ in range(ROUNDS):
        for line in await crash_after(tmp_path / "p.db", random.randint(1, 1500)):
            lane, number = line.decode().split()
            assert int(number) not in acknowledged[lane]
            acknowledged[lane].add(int(number))
        await audit(tmp_path / "p.db", acknowledged)


async def test_a_second_process_is_told_which_one_was_first(tmp_path: Path) -> None:
    child, output = await start(tmp_path / "p.db")
    await output.readline()
    with pytest.raises(StoreUnavailable, match=rf"already running here \(process {child.pid}\)"):
        async with SqliteStore.open(tmp_path / "p.db"):
            pass
    child.kill()
    await output.read()
    await child.wait()
    async with SqliteStore.open(tmp_path / "p.db"):
        pass
