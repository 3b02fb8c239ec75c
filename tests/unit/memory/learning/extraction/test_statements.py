"""A hundred plain sentences and a hundred traps in ten languages."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from parley.memory.learning.extraction.rules import split_statements
from parley.memory.learning.extraction.statements import read_statements

LISTS = yaml.safe_load((Path(__file__).parent / "statements.yaml").read_text("utf-8"))
SENTENCES = [said for each in LISTS.values() for said in each["sentences"]]
TRAPS = [said for each in LISTS.values() for said in each["traps"]]


def learned(said):
    return [each.content for each in read_statements(said, split_statements(said))]


def test_there_are_a_hundred_of_each():
    assert (len(set(SENTENCES)), len(set(TRAPS)), len(LISTS)) == (100, 100, 10)


@pytest.mark.parametrize("said", SENTENCES)
def test_a_plain_sentence_teaches_one_fact(said):
    assert len(learned(said)) == 1


@pytest.mark.parametrize("said", TRAPS)
def test_a_trap_teaches_nothing(said):
    assert learned(said) == []


def test_clauses_are_read_one_by_one_and_a_strange_one_spoils_all():
    assert learned("My name is Ada and I live in Lisbon. I like tea, and I hate mushrooms.") == [
        "User's name is Ada",
        "User lives in Lisbon",
        "User likes tea",
        "User does not like mushrooms",
    ]
    assert learned("I like tea, but I stopped drinking it") == []


@pytest.mark.parametrize("sign", ['"', "“", "`", "\n", "{", ":"])
def test_what_may_be_pasted_teaches_nothing(sign):
    assert learned(f"I like tea.{sign} I like jazz.") == []
    assert learned("I like tea. " + "x" * 300) == []
