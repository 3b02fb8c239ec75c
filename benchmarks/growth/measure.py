"""Stores of each size on an engine, one after the other, and the tables of what they cost."""

from __future__ import annotations

import logging
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from benchmarks.growth.multiply import SqliteEngine, multiply
from benchmarks.growth.product import ProductCosts, measure_product
from benchmarks.growth.seed import MESSAGES, seed
from benchmarks.kit.child_process import agent_server
from benchmarks.kit.node_processes import Phase, Use, no_use, node_processes
from benchmarks.kit.plan import Plan
from benchmarks.kit.stats import percentile
from benchmarks.kit.tables import Table
from benchmarks.loads.list_pages import PAGE, PageTime
from parley.app.process.event_loop import run_loop

_RATE = 20.0


class Stores(Protocol):
    """Where stores of several sizes are made; `name` is the engine's, as people say it."""

    name: str

    def empty(self) -> str:
        """Return where the first conversations are to be written."""
        ...

    def grown(self, conversations: int, say: Callable[[int], None]) -> tuple[str, float]:
        """Return where the first conversations have become so many, and how many MB that is."""
        ...

    def use(self, where: str) -> Use:
        """Return what a server has used for it so far."""
        ...

    def remove(self, where: str) -> None:
        """Remove one."""
        ...


@dataclass(frozen=True, slots=True)
class SizeCosts:
    """What a store of so many conversations costs."""

    conversations: int
    megabytes: float
    made: float
    phase: Phase
    pages: Sequence[PageTime]
    product: ProductCosts


def run_sqlite(plan: Plan) -> Iterator[Table]:
    """Two tables, on files."""
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        yield from _tables(SqliteStores(Path(folder)), plan)


def run_postgres(plan: Plan) -> Iterator[Table]:
    """The same on a PostgreSQL of the benchmark's own."""
    from benchmarks.growth.postgres_stores import PostgresStores
    from benchmarks.kit.postgres_server import server

    with server() as postgres:
        yield from _tables(PostgresStores(postgres), plan)


@dataclass(slots=True)
class SqliteStores:
    """Files in a folder."""

    folder: Path
    name: str = "SQLite"

    def empty(self) -> str:
        return str(self.folder / "seed.db")

    def grown(self, conversations: int, say: Callable[[int], None]) -> tuple[str, float]:
        path = self.folder / f"store-{conversations}.db"
        shutil.copy(self.empty(), path)
        engine = SqliteEngine.open(str(path))
        with closing(engine.connection):
            multiply(engine, conversations, say)
        with path.open("rb+") as made:
            # What is not on disk yet would be written under the first turns, and their commits wait for it.
            os.fsync(made.fileno())
        return str(path), path.stat().st_size / 1e6

    def use(self, where: str) -> Use:
        return no_use()

    def remove(self, where: str) -> None:
        for path in self.folder.glob(f"{Path(where).name}*"):
            path.unlink()


def _tables(stores: Stores, plan: Plan) -> Iterator[Table]:
    logging.getLogger("parley").setLevel(logging.ERROR)
    with agent_server() as agent:
        with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
            run_loop(seed(stores.empty(), agent[0], Path(folder)))
        costs = []
        for conversations in plan.stores:
            costs.append(_measure(stores, agent, conversations, plan))
            plan.say(f"{stores.name}, {conversations:,} conversations")
    yield _table(stores, costs)


def _measure(stores: Stores, agent: tuple[str, int], conversations: int, plan: Plan) -> SizeCosts:
    began = time.perf_counter()
    where, megabytes = stores.grown(conversations, lambda made: plan.say(f"{made:,} conversations made"))
    made = time.perf_counter() - began
    database = no_use if stores.use(where) == no_use() else partial(stores.use, where)
    with node_processes(where, agent, database, people=conversations) as nodes:
        nodes.run_phase(_RATE, 1)
        phase = nodes.run_phase(_RATE, plan.arriving_seconds)
        pages = nodes.read_pages(conversations)
    with tempfile.TemporaryDirectory(prefix="parley-bench-") as folder:
        url = where if "://" in where else f"sqlite:///{where}"
        product = measure_product(
            Path(folder), url, agent[0], conversations, plan.idle_seconds, lambda: database().cpu
        )
    stores.remove(where)
    return SizeCosts(conversations, megabytes, made, phase, pages, product)


def _table(stores: Stores, costs: Sequence[SizeCosts]) -> Table:
    """One column a size; the last one is how the largest compares with the smallest."""
    lines = [*_lines_of_turns(costs), *_lines_of_pages(costs), *_lines_of_product(costs)]
    rows = [
        (line.about, *(_number(value, line.digits) for value in line.values), _ratio(line.values))
        for line in lines
    ]
    columns = ("what", *(f"{each.conversations:,} conversations" for each in costs), "last to first")
    title = f"{stores.name}: what a store costs as it grows"
    note = f"A person has a conversation of their own, {len(MESSAGES)} messages in it, and a memory of facts."
    return Table(f"growth-{stores.name.lower()}", title, columns, tuple(rows), note)


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the table, with a value for each size."""

    about: str
    values: Sequence[float]
    digits: int


def _lines_of_turns(costs: Sequence[SizeCosts]) -> Iterator[_Line]:
    phases = [each.phase for each in costs]
    yield _Line("store, MB", [each.megabytes for each in costs], 0)
    yield _Line("made in, s", [each.made for each in costs], 0)
    yield _Line(f"turn at {_RATE:g} a second, p50 ms", [each.turn_ms(0.5) for each in phases], 0)
    yield _Line("p99 ms", [each.turn_ms(0.99) for each in phases], 0)
    yield _Line("not answered", [each.arrived - each.finished for each in phases], 0)
    yield _Line("CPU ms a turn, node", [1000 * each.a_turn(each.nodes_cpu) for each in phases], 1)
    if any(each.database != no_use() for each in phases):
        used = [each.database for each in phases]
        shared = [each.a_turn for each in phases]
        server = [1000 * a_turn(each.cpu) for a_turn, each in zip(shared, used, strict=True)]
        yield _Line("CPU ms a turn, server", server, 1)
        counted = [a_turn(each.transactions) for a_turn, each in zip(shared, used, strict=True)]
        yield _Line("transactions a turn", counted, 1)
        logged = [a_turn(each.wal) / 1000 for a_turn, each in zip(shared, used, strict=True)]
        yield _Line("WAL kB a turn", logged, 1)
    yield _Line("message on disk, p50 ms", [1000 * percentile(each.accepts, 0.5) for each in phases], 1)


def _lines_of_pages(costs: Sequence[SizeCosts]) -> Iterator[_Line]:
    for place, page in enumerate(costs[0].pages):
        yield _Line(f"page of {PAGE}: {page.about}, ms", [each.pages[place].ms for each in costs], 1)


def _lines_of_product(costs: Sequence[SizeCosts]) -> Iterator[_Line]:
    products = [each.product for each in costs]
    yield _Line("`parley run` starts in, s", [each.start.seconds for each in products], 1)
    yield _Line("of it CPU s", [each.start.cpu for each in products], 1)
    yield _Line("idle, % of a core", [100 * each.idle for each in products], 1)
    yield _Line("resident, MB", [each.rss for each in products], 0)
    for name in products[0].asked:
        yield _Line(f"{name}, s", [each.asked[name].seconds for each in products], 2)
        yield _Line("of it CPU s", [each.asked[name].cpu for each in products], 2)


def _number(value: float, digits: int) -> str:
    return "cut off" if math.isinf(value) else f"{value:,.{digits}f}"


def _ratio(values: Sequence[float]) -> str:
    first, last = values[0], values[-1]
    return f"{last / first:.1f}" if first and not math.isinf(last) else ""
