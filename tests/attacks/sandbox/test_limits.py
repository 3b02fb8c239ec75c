"""Commands that take more than they may, and those that are none."""

from __future__ import annotations

import asyncio
import os
import threading

import pytest

from parley.server.sandbox.limits import SandboxFailed
from parley.server.sandbox.threads import run_to_its_end
from parley.server.sandbox.watch import EndReason
from tests.attacks.sandbox.bench import LIMITS, Bench
from tests.kit.machine import patience

pytestmark = pytest.mark.attacks


async def test_a_flood_of_output_ends_the_command_and_is_cut(bench: Bench) -> None:
    result = await bench.run("yes")
    assert result.ending.reason is EndReason.OUTPUT
    assert len(result.ending.output) < 2 * LIMITS.output
    few = await bench.run("seq 1 100000; printf '\\033]0;title\\007\\033[2J'")
    assert few.ending.output.startswith("1\n2\n")
    assert "bytes are left out" in few.ending.output
    assert "100000\n" in few.ending.output
    assert "\033" not in few.ending.output


@pytest.mark.parametrize(
    ("command", "reasons"),
    [
        ("i=0; while [ $i -lt 5000 ]; do : > f$i; i=$((i+1)); done; sleep 20", {EndReason.FILES}),
        (
            "i=0; while [ $i -lt 5000 ]; do mkdir d$i && cd d$i 2>/dev/null || break; done; sleep 20",
            {EndReason.FILES, EndReason.TIME},  # whichever comes first
        ),
        ("printf kept > x; sleep 20", {EndReason.TIME}),
    ],
)
async def test_what_takes_too_much_is_ended_and_changes_nothing(
    bench: Bench, command: str, reasons: set[EndReason]
) -> None:
    bench.folder.write("/before.txt", b"1")
    result = await bench.run(command, seconds=1 if EndReason.TIME in reasons else 15)
    assert result.ending.reason in reasons
    assert bench.paths() == ["/before.txt"]


async def test_the_disk_of_the_machine_is_never_filled(bench: Bench) -> None:
    said = await bench.says(
        "head -c 300000000 /dev/zero > big; head -c 300000000 /dev/zero > /tmp/big2; "
        "head -c 300000000 /dev/zero > /dev/shm/big3; du -sk /home | cut -f1; stat -c %s big"
    )
    assert said.count("No space left on device") >= 2, said
    kilobytes = int(said.splitlines()[-4])
    assert kilobytes < 67_000
    assert bench.paths() == [], "too large for a file here"


MEMORY = {
    "private": ("x = bytearray(300_000_000)", "MemoryError"),
    "memfd": ("import os; os.memfd_create('x')", "PermissionError"),
    "shared": (
        """
import mmap, time
m = mmap.mmap(-1, 200_000_000)
for at in range(0, 200_000_000, 4096): m[at] = 1
time.sleep(20)
""",
        EndReason.MEMORY,
    ),
    "together": (
        "import os, time\nfor _ in range(3): os.fork()\nx = bytearray(b'x' * 40_000_000)\ntime.sleep(20)",
        EndReason.MEMORY,
    ),
    "system V": (
        """
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
print(c.shmget(0, 10_000_000, 0o1600), os.strerror(ctypes.get_errno()))
""",
        "-1 Operation not permitted",
    ),
}


@pytest.mark.parametrize("way", MEMORY)
async def test_memory_is_bounded_however_it_is_taken(bench: Bench, way: str) -> None:
    program, told = MEMORY[way]
    assert str(told) in await bench.python(program)


async def test_a_machine_without_memory_ends_commands_first(bench: Bench) -> None:
    assert (await bench.says("cat /proc/self/oom_score_adj")).startswith("1000\n")


async def test_who_is_stopped_waits_for_what_still_works_on_the_files() -> None:
    go, over = threading.Event(), []

    def work() -> None:
        go.wait()
        over.append(True)

    task = asyncio.create_task(run_to_its_end(work))
    await asyncio.sleep(0)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert over == [True]


async def test_a_stopped_command_closes_nothing_that_is_still_looked_into(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go, seen = threading.Event(), threading.Event(), list[str]()

    def look(processes: int, *_: object) -> None:
        begun.set()
        go.wait(patience(30))
        seen.extend(os.listdir(processes))

    monkeypatch.setattr("parley.server.sandbox.process.excess", look)
    command = asyncio.create_task(bench.run("sleep 60"))
    await asyncio.to_thread(begun.wait)
    for _ in range(3):
        command.cancel()
        await asyncio.sleep(0)
    assert not command.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await command
    assert "1" in seen


async def test_the_number_of_processes_is_bounded(bench: Bench) -> None:
    # 30 attempts in a row where 20 may be, none of which starts another.
    said = await bench.python(
        "import os, time\n"
        "made = 0\n"
        "for _ in range(30):\n"
        "    try:\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(20)\n"
        "            os._exit(0)\n"
        "        made += 1\n"
        "    except OSError as error:\n"
        "        print(error.strerror)\n"
        "        break\n"
        "print(made)\n"
    )
    assert "Resource temporarily unavailable" in said
    assert 10 < int(said.splitlines()[1]) < LIMITS.processes


@pytest.mark.parametrize("command", ["", "  \n", "echo \0", "x" * 20_001, "echo \ud800"])
async def test_what_no_shell_can_be_given_is_refused(bench: Bench, command: str) -> None:
    with pytest.raises(SandboxFailed):
        await bench.run(command)


@pytest.mark.parametrize(
    "command", ["-c 'echo no'", "--help", "exit 7", "'", "$(", "exec >&-; exec 2>&-; sleep 0.3"]
)
async def test_odd_commands_end_by_themselves(bench: Bench, command: str) -> None:
    assert (await bench.run(command)).ending.reason is None
