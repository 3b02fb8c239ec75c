"""Several nodes on one PostgreSQL, beside procrastinate with the same turns; and what a full store costs.

`python -m benchmarks.nodes [--quick] [--write FILE]`; needs Debian's "postgresql", and procrastinate for its
rows.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

from benchmarks.kit.child_process import ChildFailed, agent_server, environment
from benchmarks.kit.machine import machine
from benchmarks.kit.null_channel import message
from benchmarks.kit.postgres_server import Server, server
from benchmarks.kit.tables import Table, write_tables
from parley.core.inbound.bus import MessageBus
from parley.core.model.options import ChannelOptions
from parley.core.model.queues import turn_queue
from parley.core.model.types import InboundMessage, SessionSettings
from parley.core.state.conversations import CONVERSATION_PREFIX
from parley.store.postgres import PostgresStore

_PATIENCE = 600.0
_databases = count()
_IDLE = (
    """INSERT INTO parley.documents SELECT %(prefix)s || 'null:idle-' || n, repeat('x', 400),
        nextval('parley.versions') FROM generate_series(1, %(number)s) n""",
    """INSERT INTO parley.lanes (queue, lane) SELECT %(queue)s, 'null:idle-' || n
        FROM generate_series(1, %(number)s) n""",
    """INSERT INTO parley.items (queue, lane, slot, state, put_at, first_at, run_at, ended_at, body, note)
        SELECT %(queue)s, 'null:idle-' || n, '', 1, 1, 1, 1, extract(epoch FROM clock_timestamp()),
        repeat('x', 600), repeat('x', 300) FROM generate_series(1, %(number)s) n""",
)


@dataclass(frozen=True, slots=True)
class Load:
    """Messages that wait, in so many conversations, among so many idle ones; `turns` of them are timed."""

    about: str
    messages: int
    conversations: int
    turns: int
    idle: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """Turns a second, and CPU milliseconds a turn of all nodes and of the database server."""

    per_second: float
    nodes_ms: float
    server_ms: float


class Node:
    """A child, and how many turns it says it has finished."""

    def __init__(self, url: str, agent: str, peer: bool) -> None:
        command = [
            sys.executable,
            "-m",
            "benchmarks.loads.node_child",
            url,
            agent,
            *(["--peer"] if peer else []),
        ]
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())
        self.finished = 0
        self.cpu = 0.0
        assert self._child.stdout is not None
        if self._child.stdout.readline() != "ready\n":
            raise ChildFailed("a node did not start")
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child.poll() is None

    def go(self) -> None:
        """Begin, or, the second time, end."""
        assert self._child.stdin is not None
        self._child.stdin.write("\n")
        self._child.stdin.flush()

    def close(self) -> None:
        """Kill it."""
        self._child.kill()
        self._child.wait()
        self._reader.join()

    def wait_for_cpu(self) -> None:
        """Return once it has said how much CPU it took."""
        deadline = time.monotonic() + 30
        while not self.cpu and self.alive and time.monotonic() < deadline:
            time.sleep(0.01)

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if line.startswith("cpu "):
                self.cpu = float(line.split()[1])
            else:
                self.finished = int(line)


def measure(postgres: Server, load: Load, nodes: int, *, peer: bool = False) -> Sample:
    """A fresh database, filled; then so many nodes begin at once."""
    url = postgres.fresh(f"nodes{next(_databases)}")
    asyncio.run(_peer_fill(url, load) if peer else _fill(url, load))
    with agent_server() as (agent, _), _nodes(url, agent, nodes, peer) as running:
        before, began = postgres.cpu_seconds(), time.perf_counter()
        for node in running:
            node.go()
        done = _wait(running, load.turns)
        wall, server_cpu = time.perf_counter() - began, postgres.cpu_seconds() - before
        for node in running:
            node.go()
        for node in running:
            node.wait_for_cpu()
        cpu = sum(node.cpu for node in running)
    return Sample(done / wall, 1000 * cpu / done, 1000 * server_cpu / done)


@contextmanager
def _nodes(url: str, agent: str, number: int, peer: bool) -> Iterator[Sequence[Node]]:
    with ExitStack() as stack:
        made = []
        for _ in range(number):
            node = Node(url, agent, peer)
            stack.callback(node.close)
            made.append(node)
        yield made


def _wait(nodes: Sequence[Node], enough: int) -> int:
    """How many turns were finished when it was enough. Raises ChildFailed."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and all(node.alive for node in nodes):
        done = sum(node.finished for node in nodes)
        if done >= enough:
            return done
        time.sleep(0.01)
    raise ChildFailed(f"{sum(node.finished for node in nodes)} of {enough} turns were finished")


async def _fill(url: str, load: Load) -> None:
    async with PostgresStore.open(url) as store:
        bus = MessageBus(
            store, {"null": ChannelOptions(SessionSettings("a"), allowed_users=frozenset({"*"}))}
        )
        said = [_message(number, load.conversations) for number in range(load.messages)]
        for begin in range(0, len(said), 500):
            await asyncio.gather(*(bus.publish_inbound(each) for each in said[begin : begin + 500]))
    if load.idle:
        _add_idle(url, load.idle)


def _message(number: int, conversations: int) -> InboundMessage:
    """The messages of a conversation come one after the other, all from one person."""
    place = message(number % conversations)
    return InboundMessage(
        id=f"message-{number}",
        conversation=place.conversation,
        sender=place.sender,
        text=place.text,
        addressed=True,
        private=True,
        sent_at=time.time(),
    )


def _add_idle(url: str, conversations: int) -> None:
    """Conversations with one finished turn each."""
    values = {"prefix": CONVERSATION_PREFIX, "queue": turn_queue("null"), "number": conversations}
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in _IDLE:
            connection.execute(statement, values)


async def _peer_fill(url: str, load: Load) -> None:
    from benchmarks.loads.procrastinate_queue import fill

    await fill(url, load.messages)


def run(quick: bool, say: Callable[[str], None]) -> Iterator[Table]:
    """Two tables."""
    with server() as postgres:
        yield _together(postgres, 200 if quick else 1000, say)
        yield _full(postgres, 200 if quick else 1000, 0.1 if quick else 1.0, say)


def _together(postgres: Server, size: int, say: Callable[[str], None]) -> Table:
    load = Load("", size, size, size)
    rows: list[tuple[str, ...]] = []
    peers = (False, True) if find_spec("procrastinate") else (False,)
    for nodes in (1, 2, 3):
        for peer in peers:
            sample = measure(postgres, load, nodes, peer=peer)
            rows.append((str(nodes), "procrastinate" if peer else "Parley", *_cells(sample)))
            say(f"{nodes} nodes, {'procrastinate' if peer else 'Parley'}")
    columns = ("nodes", "what", "turns a second", "CPU ms a turn, nodes", "CPU ms a turn, PostgreSQL")
    note = (
        "Agent server, database and nodes share the machine. A turn of procrastinate is one job that streams "
        "the run through the SDK. It stores no answer, shows nothing and resumes nothing."
    )
    return Table(
        "nodes", f"{size:,} turns in wait mode, runs that answer at once", columns, tuple(rows), note
    )


def _full(postgres: Server, size: int, part: float, say: Callable[[str], None]) -> Table:
    idle, queued, hot = int(100_000 * part), int(10_000 * part), int(100 * part)
    loads = (
        Load("each in a conversation of its own", size, size, size),
        Load(f"one hot conversation: {hot} messages", hot, 1, hot),
        Load(f"among {idle:,} idle conversations", size, size, size, idle=idle),
        Load(f"the first of {queued:,} queued messages, ten a conversation", queued, queued // 10, size),
    )
    rows: list[tuple[str, ...]] = []
    for load in loads:
        rows.append((load.about, f"{load.turns:,}", *_cells(measure(postgres, load, 1))))
        say(load.about)
    columns = ("queued work", "turns", "turns a second", "CPU ms a turn, node", "CPU ms a turn, PostgreSQL")
    return Table("full-store", "One node: cost of a full store", columns, tuple(rows))


def _cells(sample: Sample) -> tuple[str, str, str]:
    return f"{sample.per_second:,.0f}", f"{sample.nodes_ms:.2f}", f"{sample.server_ms:.2f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser("python -m benchmarks.nodes", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a fifth of the turns, a tenth of the store")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between their markers")
    chosen = parser.parse_args()
    sys.stdout.write(machine().plain() + "\n\n")
    tables = []
    for table in run(chosen.quick, lambda line: print(f"  {line}", file=sys.stderr)):
        tables.append(table)
        sys.stdout.write(table.plain() + "\n\n")
    if chosen.write:
        write_tables(chosen.write, tables)


if __name__ == "__main__":
    main()
