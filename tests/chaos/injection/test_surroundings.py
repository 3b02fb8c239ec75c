"""What is done to a process's surroundings is really done to them."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chaos.accounting.network_tap import NetworkTap
from tests.chaos.accounting.report import table, write
from tests.chaos.accounting.result import Result, together
from tests.chaos.injection.clock import WARNING, Clock, library
from tests.chaos.injection.network import WARNING as NO_LOSS
from tests.chaos.injection.network import Gate, Network, is_possible, own_network
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


@asynccontextmanager
async def connected(network: Network) -> AsyncIterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection in a network."""
    with network.listener(0) as listener:
        listener.setblocking(False)
        with await network.connect(listener.getsockname()[1]) as near:
            far, _ = await asyncio.get_running_loop().sock_accept(listener)
            with far:
                yield near, far


@pytest.mark.skipif(not is_possible(), reason=NO_LOSS)
async def test_packets_are_lost_without_a_word_and_come_once_there_is_a_network_again() -> None:
    loop = asyncio.get_running_loop()
    with own_network() as network, own_network() as another:
        assert network is not None
        assert another is not None
        async with connected(network) as (near, far), connected(another) as (here, there):
            network.lose()
            await loop.sock_sendall(near, b"words")
            heard = asyncio.ensure_future(loop.sock_recv(far, 10))
            await loop.sock_sendall(here, b"later words")
            assert await loop.sock_recv(there, 20) == b"later words"
            assert not heard.done()
            network.heal()
            assert await heard == b"words"


async def test_what_was_held_arrives_later_although_its_sender_is_gone() -> None:
    heard = asyncio.Queue[bytes]()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.put_nowait(await reader.read())
        writer.close()

    gate = Gate()
    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with NetworkTap(port, "node", None, gate) as tap:
            _, writer = await asyncio.open_connection("127.0.0.1", tap.port)
            gate.hold()
            writer.write(b"an edit")
            await writer.drain()
            writer.transport.abort()
            async with NetworkTap(port, "other", None, Gate()) as other:
                _, later = await asyncio.open_connection("127.0.0.1", other.port)
                later.write(b"the answer")
                later.close()
                assert await heard.get() == b"the answer"
            gate.release()
            assert await heard.get() == b"an edit"


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
