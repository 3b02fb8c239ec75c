"""What is done to a process's surroundings is really done to them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.accounting.report import table, write
from tests.chaos.accounting.result import Result, together
from tests.chaos.injection.clock import WARNING, Clock, library
from tests.kit.product.process import environment
from tests.kit.small_disk import WARNING as NO_DISK
from tests.kit.small_disk import namespace

_TIMES = "import time; print(time.time(), time.monotonic(), time.clock_gettime(time.CLOCK_BOOTTIME))"
_FULL = """
import errno, sys
from pathlib import Path
from tests.kit.small_disk import Disk
folder = Path(sys.argv[1])
disk = Disk.mount(folder)
disk.fill()
try:
    (folder / "more").write_bytes(b"x" * 5000)
except OSError as error:
    print(errno.errorcode[error.errno])
disk.free()
print((folder / "more").write_bytes(b"x" * 5000))
"""


def times(clock: Clock) -> tuple[float, ...]:
    """The wall clock of a process, and those that nobody sets."""
    said = subprocess.run(
        [sys.executable, "-c", _TIMES],
        env=environment() | dict(clock.variables),
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(float, said.stdout.split()))


@pytest.mark.skipif(library() is None, reason=WARNING)
def test_a_clock_is_put_off_and_those_that_nobody_sets_are_not(tmp_path: Path):
    clock = Clock(tmp_path / "clock")
    clock.put_off(0)
    right = times(clock)
    clock.put_off(-5000)
    wrong = times(clock)
    assert -5000 <= wrong[0] - right[0] < -4900
    assert all(0 <= later - earlier < 100 for earlier, later in zip(right[1:], wrong[1:], strict=True))


@pytest.mark.skipif(not namespace(), reason=NO_DISK)
def test_a_disk_is_full_until_there_is_room_again(tmp_path: Path):
    command = [*namespace(), sys.executable, "-c", _FULL, str(tmp_path)]
    said = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["ENOSPC", "5000"]
    assert not list(tmp_path.iterdir())


def test_results_are_summed_and_the_slowest_counts(tmp_path: Path):
    one = Result("apart", turns=2, answered=2, said={"web": 2}, blows={"kill": 1}, slowest_start=1.5)
    two = Result("apart", turns=1, lost=("c00n000",), said={"web": 1}, blows={"freeze": 1}, slowest_start=0.5)
    two.write(tmp_path / "result.json")
    assert Result.read(tmp_path / "result.json") == two
    both = together([one, two])
    assert (both.turns, both.lost, both.installations) == (3, ("c00n000",), 2)
    assert (both.said, both.blows, both.slowest_start) == ({"web": 3}, {"kill": 1, "freeze": 1}, 1.5)
    assert one.wrong == {}
    assert both.wrong == {"lost": ("c00n000",)}


@pytest.mark.parametrize(
    ("result", "wrong"),
    [
        (Result("nodes", turns=1), "not accounted for"),
        (Result("nodes", overlaps=("m",)), "overlaps"),
        (Result("nodes", files_doubled=("c00n000",)), "doubled without a doubt"),
        (Result("nodes", unfinished=1), "unfinished"),
    ],
)
def test_whatever_is_wrong_is_named(result: Result, wrong: str):
    assert list(result.wrong) == [wrong]


def test_one_doubt_is_about_all_that_an_answer_consists_of():
    twice = Result("apart", files_doubled=("c10n001",), repeated=("c05n001", "c10n001"), doubtful=2)
    assert twice.wrong == {}
    assert replace(twice, doubtful=1).wrong == {"doubled without a doubt": "c05n001, c10n001; doubts: 1"}


def test_the_table_has_its_place_in_the_document(tmp_path: Path):
    document = tmp_path / "chaos.md"
    document.write_text("a\n<!-- sqlite -->\nold\n<!-- end of sqlite -->\nb\n")
    results = [Result("inside", turns=1234), Result("apart")]
    write(results, "sqlite", 7, document)
    assert (
        document.read_text()
        == f"a\n<!-- sqlite -->\nSeed 7:\n\n{table(results)}\n<!-- end of sqlite -->\nb\n"
    )
    assert "1,234" in table(results)
