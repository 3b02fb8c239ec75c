"""One to four nodes on one PostgreSQL, with messages that arrive at a rate; needs Debian's "postgresql"."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from benchmarks.kit.child_process import agent_server
from benchmarks.kit.node_processes import Nodes, Phase, node_processes
from benchmarks.kit.plan import Plan
from benchmarks.kit.postgres_server import Server, server
from benchmarks.kit.tables import Table

_databases = count()
_KEPT_UP = 1.0
"""Seconds after the last message in which all have to be answered, or the rate was too high."""
_STEP = 1.4


@dataclass(frozen=True, slots=True)
class Load:
    """Messages a second, and for how long."""

    rate: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """What so many nodes showed: without messages, at each rate, and as the rate rose until too much."""

    nodes: int
    idle: Phase
    phases: Sequence[tuple[Load, Phase]]
    ladder: Sequence[tuple[Load, Phase]]


def run(plan: Plan) -> Iterator[Table]:
    """Three tables."""
    loads = [Load(rate, plan.arriving_seconds) for rate in plan.arriving]
    with server() as postgres:
        alone = _bare(loads)
        measured = []
        for nodes in plan.nodes:
            measured.append(_measure(postgres, nodes, loads, plan))
            plan.say(f"{nodes} nodes")
    yield _costs(alone, measured)
    yield _idle(measured)
    yield _capacity(measured)


def _bare(loads: Sequence[Load]) -> Sequence[Phase]:
    """What the same traffic costs a loop over the SDK, in one process."""
    with agent_server() as agent, node_processes("", agent, bare=True) as loop:
        loop.run_phase(loads[0].rate, 1)
        return [loop.run_phase(load.rate, load.seconds) for load in loads]


def _measure(postgres: Server, number: int, loads: Sequence[Load], plan: Plan) -> Measured:
    url = postgres.fresh(f"nodes{next(_databases)}")
    with (
        agent_server() as agent,
        node_processes(url, agent, partial(postgres.use, url), number=number) as nodes,
    ):
        nodes.run_phase(loads[0].rate, 1)  # what is loaded at the first turn
        idle = nodes.run_phase(0, plan.arriving_seconds)
        phases = [(load, nodes.run_phase(load.rate, load.seconds)) for load in loads]
        return Measured(number, idle, phases, _climb(nodes, plan))


def _climb(nodes: Nodes, plan: Plan) -> Sequence[tuple[Load, Phase]]:
    """Raise the rate until it is too much, and go no further."""
    tried, rate = [], plan.ladder_from
    for seed in range(plan.ladder_steps):
        phase = nodes.run_phase(rate, plan.ladder_seconds, seed)
        tried.append((Load(rate, plan.ladder_seconds), phase))
        if not kept_up(phase):
            break
        rate *= _STEP
    return tried


def kept_up(phase: Phase) -> bool:
    """Return whether what arrived was answered as it came."""
    return phase.drained <= phase.seconds + _KEPT_UP


def _costs(alone: Sequence[Phase], measured: Sequence[Measured]) -> Table:
    rows = []
    for place, (load, first) in enumerate(measured[0].phases):
        bare, rate = alone[place], f"{load.rate:g}"
        times = (f"{bare.turn_ms(0.5):.0f}", f"{bare.turn_ms(0.99):.0f}")
        rows.append(("SDK alone", rate, *times, f"{1000 * bare.a_turn(bare.nodes_cpu):.1f}", *("",) * 5))
        for each in measured:
            phase = each.phases[place][1]
            used, ratio = phase.database, _server_ms(phase) / _server_ms(first)
            cells = (
                f"{phase.turn_ms(0.5):.0f}",
                f"{phase.turn_ms(0.99):.0f}",
                f"{1000 * phase.a_turn(phase.nodes_cpu):.1f}",
                f"{_server_ms(phase):.1f}",
                f"{ratio:.2f}",
                f"{phase.a_turn(used.transactions):.1f}",
                f"{phase.a_turn(used.wal) / 1000:.1f}",
                str(phase.arrived - phase.finished),
            )
            rows.append((str(each.nodes), rate, *cells))
    columns = (
        "nodes", "messages a second", "p50 ms", "p99 ms", "CPU ms a turn, nodes", "CPU ms a turn, PostgreSQL",
        "to one node", "transactions a turn", "WAL kB a turn", "not answered",
    )  # fmt: skip
    note = (
        "Messages arrive by chance; each time is from when its message was due. What idle nodes do in the "
        "meantime is in the figures. Everything shares the machine."
    )
    return Table(
        "nodes", "Turns that arrive at a rate, of runs that answer at once", columns, tuple(rows), note
    )


def _server_ms(phase: Phase) -> float:
    return 1000 * phase.a_turn(phase.database.cpu)


def _idle(measured: Sequence[Measured]) -> Table:
    rows = []
    for each in measured:
        phase, seconds = each.idle, each.idle.seconds
        cpu = (phase.database.cpu / seconds, phase.nodes_cpu / seconds / each.nodes)
        rows.append(
            (
                str(each.nodes),
                f"{phase.database.transactions / seconds:.1f}",
                *(f"{100 * share:.1f}" for share in cpu),
                f"{phase.database.wal / seconds / 1000:.1f}",
            )
        )
    columns = (
        "nodes", "transactions a second", "PostgreSQL, % of a core", "each node, % of a core",
        "WAL kB a second",
    )  # fmt: skip
    return Table("nodes-idle", "Nodes without messages, with one channel", columns, tuple(rows))


def _capacity(measured: Sequence[Measured]) -> Table:
    first = max(phase.per_second for _, phase in measured[0].ladder)
    rows = []
    for each in measured:
        kept = [load.rate for load, phase in each.ladder if kept_up(phase)]
        _, fullest = max(each.ladder, key=lambda tried: tried[1].per_second)
        lasted = min(fullest.drained, fullest.seconds + _KEPT_UP)
        ours = (fullest.nodes_cpu, fullest.database.cpu, fullest.agent_cpu)
        rows.append(
            (
                str(each.nodes),
                f"{max(kept, default=0):.0f}",
                f"{fullest.per_second:.0f}",
                f"{fullest.per_second / first:.2f}",
                f"{fullest.finished / sum(ours):.0f}",
                *(f"{cpu / lasted:.2f}" for cpu in ours),
                f"{fullest.others:.2f}",
            )
        )
    columns = (
        "nodes", "highest rate answered as it came", "most turns a second", "to one node",
        "turns a CPU second of all three", "cores: nodes", "PostgreSQL", "agent server", "other programs",
    )  # fmt: skip
    note = f"The rate rises by {_STEP:g} until it is too much for the {os.cpu_count()} cores that all share."
    return Table("nodes-most", "How far it goes", columns, tuple(rows), note)
