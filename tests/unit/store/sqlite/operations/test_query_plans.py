"""SQLite's plan of each statement: none walks through a table, whatever is asked for."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from parley.store.sqlite.database.schema import migrate
from parley.store.sqlite.execution.transaction import Transaction
from parley.store.sqlite.operations import item_search, sql
from parley.store.sqlite.operations.documents import page_range
from parley.store.sqlite.operations.maintenance import LANES, prune_lanes

_TABLE = re.compile(
    r"SCAN (?:TABLE )?(documents|feedback_times|items|lanes|names|tallies)\b"
    r"(?! USING INDEX (?:lanes_|items_))"
)
WALKS = {
    "NEWEST": "the last item by its id: one row",
    "BACKLOG": "the lanes that have work: for metrics, by an index that has no others",
}
"""Statements that begin at one end of a table, and why they read only a few of its rows."""


def statements() -> Iterator[tuple[str, str]]:
    for module in (sql, item_search):
        for name, text in vars(module).items():
            part = module is sql and name.startswith("_")
            if (
                not part
                and isinstance(text, str)
                and re.match(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", text)
            ):
                yield name, text % "instr(body, ?) > 0" if "(%s)" in text else text


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("plans") / "parley.db"
    connection = sqlite3.connect(path)
    migrate(connection, Path(path))
    yield connection
    connection.close()


@pytest.mark.parametrize(("name", "statement"), [pytest.param(*each, id=each[0]) for each in statements()])
def test_no_statement_walks_through_a_table(
    connection: sqlite3.Connection, name: str, statement: str
) -> None:
    # A number stands for each value: which one it is does not change the plan.
    text = re.sub(r"\?\d*", "1", statement)
    plan = [detail for *_, detail in connection.execute(f"EXPLAIN QUERY PLAN {text}")]
    walked = [detail for detail in plan if _TABLE.search(detail)]
    assert bool(walked) == (name in WALKS), plan


@pytest.mark.parametrize("after", ["", "thread/00010", "thread/09990", "a", "u"])
def test_a_page_costs_the_same_wherever_it_is(connection: sqlite3.Connection, after: str) -> None:
    keys = [("before",), *((f"thread/{number:05}",) for number in range(10_000)), ("unlike",)]
    connection.execute("DELETE FROM documents")
    connection.executemany("INSERT INTO documents (key, body, version) VALUES (?, '{}', 1)", keys)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(count, 10)
    rows = connection.execute(sql.LIST, (*page_range("thread/", after), 5)).fetchall()
    connection.set_progress_handler(None, 0)
    expected = sorted(key for (key,) in keys if key.startswith("thread/") and key > after)
    assert [key for key, *_ in rows] == expected[:5]
    assert steps < 50  # some ten instructions a row; a walk through the table takes thousands


def test_pruning_lanes_looks_at_each_once(connection: sqlite3.Connection) -> None:
    """However many lanes with work stand before the empty ones."""
    number = 4 * LANES
    connection.execute("DELETE FROM lanes")
    busy = [("in", f"l{n:06}", 1.0 if n < 3 * LANES else None) for n in range(number)]
    connection.executemany("INSERT INTO lanes (queue, lane, ready_at) VALUES (?, ?, ?)", busy)
    tx, steps, removed = Transaction(connection, "n", 1.0, 1.0), [0], 0

    def count() -> int:
        steps[0] += 1
        return 0

    connection.set_progress_handler(count, 100)
    last: tuple[str, str] | None = ("", "")
    each = []
    while last is not None:
        steps[0] = 0
        gone, last = prune_lanes(tx, last)
        removed += gone
        each.append(steps[0])
    connection.set_progress_handler(None, 0)
    assert removed == LANES
    assert len(each) == number // LANES + 1
    assert max(each) < LANES  # some tens of instructions a lane, in hundreds
