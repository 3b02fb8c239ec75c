"""Somebody is erased while several nodes serve: none of them has anything left, or remembers."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.e2e.counting import far
from tests.e2e.process import parley
from tests.e2e.telegram import Chat
from tests.nodes.town import Town
from tests.postgres.contents import rows
from tests.traces import files, rows_of

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

QUICK = {"storage": "store", "debounce_seconds": 0, "max_wait": 0}


def traces(town: Town, word: str) -> list[str]:
    """Whatever has the word: in the database, in the agent's, in the files of any node."""
    kept = [rows(town.url), rows_of(town.agent.folder / "data" / "agent.db")]
    kept += [files(node.folder / "data") for node in town.nodes.values()]
    return [text for text in chain(*kept) if word in text]


def spoken_with(town: Town, person: Chat) -> None:
    """Have them talk until several nodes have worked for them."""
    served, last = set[str](), far(0.18)
    while len(served) < 2:
        said = person.say(f"My zebra is called Quillon; count to {last} slowly")
        served.add(town.worker(str(person.person)))
        person.sees(f"{last - 1} {last}", after=said)


def test_a_person_is_erased_on_every_node(town: Town) -> None:
    town.open("a", "b", "c", memory=QUICK)
    zoe, max_ = town.private(), town.private()
    spoken_with(town, zoe)
    zoe.ask("/memory add I keep a Quillon", "Quillon")
    max_.ask("I am Max and stay", "Max")
    assert traces(town, "Quillon")

    account = f"telegram:{zoe.person}"
    erased = parley(town.nodes["b"].folder, "person", "erase", account, "--yes", "--to", "receipt.txt")
    assert erased.returncode == 0, erased.stdout + erased.stderr
    assert traces(town, "Quillon") == []
    for _ in range(8):
        zoe.ask("What do you know about me?", "I was told nothing about you.")
    max_.ask("What did I say first?", "I am Max and stay")
