"""The figures of retrieval are those of the block that is really injected."""

import json
import sys

import pytest

from benchmarks.recall.__main__ import main
from benchmarks.recall.evidence import (
    UnreadableFile,
    evidence_tables,
    measure,
    read_dialogues,
)
from benchmarks.recall.rankers import ALL_FACTS, bm25, by
from parley.memory.inject.block import build_block
from parley.memory.inject.lines import fact_line
from parley.memory.model.document import MemoryDocument
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.text.token_counting import token_counter
from tests.kit.machine import patience

FACTS = [
    ["Ann keeps bees behind the barn", "2023-05-08", "Ann", 1, 0.9, 8, ["D1:1"]],
    ["Ann sings in a choir on Mondays", "2023-05-08", "Ann", 1, 0.8, 8, ["D1:2", "D1:3"]],
    ["Ann drives a red van", "2023-06-01", "Ann", 2, 0.7, 6, ["D2:1"]],
]
QUERIES = [
    ["Where are the bees?", "single-hop", ["D1:1"], [0], "behind the barn", []],
    ["What about the choir and the van?", "multi-hop", ["D1:2", "D1:3", "D2:1"], [1, 2], "", []],
    ["Does Ann fly planes?", "adversarial", ["D1:1"], [0], "", []],
]


@pytest.fixture
def file(tmp_path):
    def write(facts=FACTS, queries=QUERIES):
        path = tmp_path / "dialogues.json"
        path.write_text(json.dumps({"users": [{"id": "a", "facts": facts, "queries": queries}]}))
        return path

    return write


def test_all_of_the_evidence_is_there_when_everything_fits(file):
    found = measure(read_dialogues(file()), by(Ranking.RELEVANCE, ALL_FACTS), [2_000])
    assert [(one.category, one.recall[2_000]) for one in found] == [("single-hop", 1.0), ("multi-hop", 1.0)]


def test_the_budget_pays_for_the_date_the_heading_and_the_tags(file):
    (dialogue,) = read_dialogues(file(queries=QUERIES[:1]))
    counter = token_counter(MemoryOptions())
    assert counter.wait(patience(30))
    alone = build_block(
        MemoryDocument(facts=dialogue.facts),
        dialogue.facts[:1],
        MemoryOptions(),
        counter,
        private=True,
        today="2026-11-25",
    )
    assert fact_line(dialogue.facts[0]).startswith("- 2023-05-08: ")
    needed = counter.count(alone)
    (one,) = measure([dialogue], by(Ranking.RELEVANCE, ALL_FACTS), [needed, needed - 1])
    assert one.recall == {needed: 1.0, needed - 1: 0.0}


def test_a_part_of_the_evidence_counts_as_that_part(file):
    (dialogue,) = read_dialogues(file(queries=QUERIES[1:2]))
    shown = dialogue.facts[1]
    (one,) = measure([dialogue], lambda facts: lambda messages: [shown], [2_000])
    assert one.recall[2_000] == pytest.approx(2 / 3)
    assert one.gain == pytest.approx(1 / (1 + 1 / 1.5849625))


def test_the_classic_formula_prefers_rare_words(file):
    (dialogue,) = read_dialogues(file())
    assert bm25(dialogue.facts)(["does Ann have a van"])[0].content == "Ann drives a red van"


def test_every_order_has_its_row_for_every_budget(file):
    curve, kinds = evidence_tables(file())
    assert curve.rows[0][0].startswith("BM25")
    assert all(len(row) == len(curve.columns) == 9 for row in curve.rows)
    assert kinds.columns == ("order", "multi-hop", "single-hop")


@pytest.mark.parametrize(
    ("facts", "place"),
    [
        ([["too", "short"]], "users[0]"),
        ([["a", "2023-01-01", "Ann", 1, "sure", 3, ["D1:1"]]], "users[0]"),
        ([["a", "2023-01-01", "Ann", 1, 0.9, 3, []]], "users[0]"),
    ],
)
def test_another_shape_is_named_in_one_line(file, facts, place):
    with pytest.raises(UnreadableFile) as refused:
        read_dialogues(file(facts))
    assert place in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_command_refuses_a_file_that_is_not_one(tmp_path, monkeypatch, capsys):
    path = tmp_path / "none.json"
    path.write_text("[]")
    monkeypatch.setattr(sys, "argv", ["recall", "--evidence", str(path)])
    assert main() == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(path) in said
