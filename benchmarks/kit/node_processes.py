"""Nodes as processes of their own, and what a phase of arriving traffic costs them and their database."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.kit.child_process import ChildFailed, environment
from benchmarks.kit.stats import cpu_seconds_of, percentile
from benchmarks.loads.list_pages import PageTime

_LATE = 20.0
"""Seconds that are given for what has not been answered when the last message has come."""
_SETTLED = 1.2
"""Seconds after which PostgreSQL has counted the transactions of its sessions."""


@dataclass(frozen=True, slots=True)
class Use:
    """What was used up to a moment: CPU seconds, a database's transactions, bytes of write-ahead log."""

    cpu: float = 0.0
    transactions: int = 0
    wal: int = 0

    def since(self, before: Use) -> Use:
        """Return the difference."""
        return Use(self.cpu - before.cpu, self.transactions - before.transactions, self.wal - before.wal)


def no_use() -> Use:
    """Return what a database costs that is in the node's process."""
    return Use()


@dataclass(frozen=True, slots=True)
class Phase:
    """What a time of arriving traffic showed. `drained` is when the last was answered, in seconds from the
    begin, infinite where some never were; times of turns and accepts are seconds from when a message was due.
    `others` is how many cores all other programs kept busy.
    """

    seconds: float
    arrived: int
    finished: int
    drained: float
    turns: Sequence[float] = field(repr=False)
    accepts: Sequence[float] = field(repr=False)
    nodes_cpu: float
    agent_cpu: float
    database: Use
    others: float

    @property
    def per_second(self) -> float:
        """Turns a second, from the first message to the last answer."""
        return self.finished / max(self.seconds, min(self.drained, self.seconds + _LATE))

    def turn_ms(self, part: float) -> float:
        """Milliseconds that this part of the turns did not exceed."""
        return 1000 * percentile(self.turns, part)

    def a_turn(self, amount: float) -> float:
        """Share an amount out among the turns."""
        return amount / self.finished if self.finished else math.nan


class NodeProcess:
    """A child that answers a line with a line."""

    def __init__(self, arguments: Sequence[str]) -> None:
        command = [sys.executable, "-m", "benchmarks.loads.node_child", *arguments]
        pipe = subprocess.PIPE
        self._child = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment())
        self.cpu_seconds: Callable[[], float] = lambda: cpu_seconds_of(self._child.pid)

    def read(self) -> Any:  # noqa: ANN401 - JSON
        """Return the next answer. Raises ChildFailed where it has ended."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise ChildFailed("a node has ended")
        return json.loads(line)

    def send(self, command: str, *arguments: float) -> None:
        """Ask for something."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps([command, *arguments]) + "\n")
        self._child.stdin.flush()

    def ask(self, command: str, *arguments: float) -> Any:  # noqa: ANN401 - JSON
        """Ask, and return the answer."""
        self.send(command, *arguments)
        return self.read()

    def close(self) -> None:
        """Let it stop in order, or end it."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child.stdout.close()


@dataclass(frozen=True, slots=True)
class Nodes:
    """Running nodes; `database` tells what was used so far, `agent_pid` is the agent server's."""

    nodes: Sequence[NodeProcess]
    agent_pid: int
    database: Callable[[], Use]

    def run_phase(self, rate: float, seconds: float, seed: int = 1) -> Phase:
        """Let messages arrive at `rate` a second (0: none), and wait until all are answered."""
        before, agent, busy = self.database(), cpu_seconds_of(self.agent_pid), _busy_seconds()
        for node in self.nodes:
            node.ask("sample")
        began = time.monotonic()
        for number, node in enumerate(self.nodes):
            if rate:
                node.ask("arrive", rate / len(self.nodes), seconds, seed * 100 + number)
        time.sleep(seconds)
        drained = self._wait(began, began + seconds + _LATE)
        if self.database is not no_use:
            time.sleep(_SETTLED)
        samples = [node.ask("sample") for node in self.nodes]
        nodes_cpu, agent_cpu = sum(each["cpu"] for each in samples), cpu_seconds_of(self.agent_pid) - agent
        database = self.database().since(before)
        used = _busy_seconds() - busy - nodes_cpu - agent_cpu - database.cpu
        return Phase(
            seconds=seconds,
            arrived=sum(each["arrived"] for each in samples),
            finished=sum(each["finished"] for each in samples),
            drained=drained - began,
            turns=[each for sample in samples for each in sample["turns"]],
            accepts=[each for sample in samples for each in sample["accepts"]],
            nodes_cpu=nodes_cpu,
            agent_cpu=agent_cpu,
            database=database,
            others=max(0.0, used / (time.monotonic() - began)),
        )

    def read_pages(self, people: int) -> Sequence[PageTime]:
        """Return how long pages of the lists take."""
        return [PageTime(**each) for each in self.nodes[0].ask("pages", people)]

    def _wait(self, began: float, until: float) -> float:
        while (now := time.monotonic()) < until:
            counts = [node.ask("count") for node in self.nodes]
            if sum(arrived for arrived, _ in counts) <= sum(finished for _, finished in counts):
                return now
            time.sleep(0.02)
        return began + math.inf


@contextmanager
def node_processes(
    where: str,
    agent: tuple[str, int],
    database: Callable[[], Use] = no_use,
    *,
    number: int = 1,
    people: int = 2000,
    bare: bool = False,
) -> Iterator[Nodes]:
    """So many nodes on the store at `where`, ready; they hear from so many people. Raises ChildFailed."""
    url, pid = agent
    shared = (where, url, "--people", str(people), "--nodes", str(number), *(("--bare",) if bare else ()))
    with ExitStack() as stack:
        nodes = []
        for each in range(number):
            node = NodeProcess((*shared, "--node", str(each)))
            stack.callback(node.close)
            nodes.append(node)
        for node in nodes:
            node.read()
        yield Nodes(nodes, pid, database)


def _busy_seconds() -> float:
    """CPU seconds that everybody on this machine has used, others included."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _waiting, *others = (int(each) for each in fields)
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")
