"""Somebody is erased while several nodes serve: none of them has anything left, or remembers."""

from __future__ import annotations

from itertools import chain

import pytest

from tests.kit.postgres_rows import postgres_rows
from tests.kit.product.long_answers import far
from tests.kit.product.process import parley
from tests.kit.product.telegram_chat import Chat
from tests.kit.stored_text import file_texts, sqlite_rows
from tests.nodes.node_cluster import NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

QUICK = {"storage": "store", "debounce_seconds": 0, "max_wait": 0}


def traces(town: NodeCluster, word: str) -> list[str]:
    """Whatever has the word: in the database, in the agent's, in the files of any node."""
    kept = [postgres_rows(town.url), sqlite_rows(town.agent.folder / "data" / "agent.db")]
    kept += [file_texts(node.folder / "data") for node in town.nodes.values()]
    return [text for text in chain(*kept) if word in text]


def spoken_with(town: NodeCluster, person: Chat) -> None:
    """Have several nodes work for them: a node keeps the conversations that it takes, while it lives."""
    last = far(0.18)
    said = person.say(f"My zebra is called Quillon; count to {last} slowly")
    first = town.worker(str(person.person))
    person.sees(f"{last - 1} {last}", after=said)
    town.nodes[first].kill()
    said = person.say(f"My zebra is called Quillon; count to {last} slowly")
    assert until(lambda: [each for each in town.workers(str(person.person)) if each != first])
    person.sees(f"{last - 1} {last}", after=said)
    town.start(first, memory=QUICK)


def test_a_person_is_erased_on_every_node(town: NodeCluster) -> None:
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
