"""Retrieval of turns of long conversations: what is read of the data sets, and what is counted."""

import json

import pytest

from benchmarks.dialogues.__main__ import draw, main
from benchmarks.dialogues.locomo import read_locomo
from benchmarks.dialogues.longmemeval import read_longmemeval
from benchmarks.dialogues.rankers import PARLEY, turn_rankers
from benchmarks.dialogues.retrieval import measure_dialogues
from benchmarks.recall.evidence import BUDGETS, UnreadableFile
from parley.memory.inject.lines import fact_line
from tests.unit.benchmarks.conftest import LOCOMO, longmemeval


def test_turns_of_locomo_are_dated_lines_with_who_spoke(written):
    (dialogue,) = read_locomo(written(LOCOMO))
    assert [fact_line(turn) for turn in dialogue.turns] == [
        "- 2023-05-08: Ann: I keep bees behind the barn.\n",
        "- 2023-05-08: Bo: Look! (picture: a red van)\n",
        "- 2023-09-13: Bo: I sing in a choir on Mondays.\n",
    ]


def test_questions_of_locomo_without_an_answer_or_without_evidence_are_left_out(written):
    (dialogue,) = read_locomo(written(LOCOMO))
    assert [(asked.kind, set(asked.evidence), asked.answer) for asked in dialogue.questions] == [
        ("single-hop", {"D1:1"}, "the barn"),
        ("multi-hop", {"D1:2"}, "a van"),
        ("temporal", {"D2:1"}, "2023"),
    ]


def test_sessions_of_longmemeval_come_in_the_order_of_their_dates(written):
    (dialogue,) = read_longmemeval(written([longmemeval()]))
    assert [turn.id for turn in dialogue.turns] == ["answer_1#0", "answer_1#1", "later#0", "later#1"]
    (asked,) = dialogue.questions
    assert (asked.kind, asked.asked_on, set(asked.evidence)) == (
        "single-session-user",
        "2023-05-30",
        {"answer_1#0"},
    )


def test_nothing_is_to_be_found_for_a_question_that_nothing_answers(written):
    (dialogue,) = read_longmemeval(written([longmemeval("q1_abs")]))
    assert [(asked.kind, asked.evidence) for asked in dialogue.questions] == [("abstention", frozenset())]


def test_what_is_found_is_counted_by_turn_by_session_and_by_budget(written):
    dialogues = read_longmemeval(written([longmemeval()]))
    backwards = {"backwards": lambda facts: lambda messages: facts[::-1]}
    (found,) = measure_dialogues(dialogues, backwards)["backwards"]
    assert (found.turns, found.sessions) == ({5: 1.0, 10: 1.0}, {1: 0.0, 5: 1.0, 10: 1.0})
    assert found.gain == pytest.approx(0.4307, abs=1e-4)  # in the fourth place: 1 / log2(5)
    assert set(found.budgets) == set(BUDGETS)
    (first,) = measure_dialogues(dialogues, turn_rankers())[PARLEY]
    assert (first.gain, first.sessions[1]) == (1.0, 1.0)


def test_a_budget_pays_for_whole_lines(written):
    long = [{"role": "user", "content": "cello sister " * 300, "has_answer": True}]
    dialogues = read_longmemeval(
        written([longmemeval(haystack_sessions=[long, []])]),
    )
    (found,) = measure_dialogues(dialogues, turn_rankers())[PARLEY]
    assert (found.budgets[500], found.budgets[2_000]) == (0.0, 1.0)


def test_every_order_has_each_turn_once(written):
    (dialogue,) = read_locomo(written(LOCOMO))
    for maker in turn_rankers().values():
        ranked = maker(dialogue.turns)(["Where are the bees?"])
        assert sorted(turn.id for turn in ranked) == sorted(turn.id for turn in dialogue.turns)
        assert ranked[0].id == "D1:1"


def test_the_same_seed_draws_the_same_questions(written):
    dialogues = read_longmemeval(written([longmemeval(f"q{n}", question=f"Question {n}?") for n in range(9)]))

    def drawn(many, seed):
        return [asked.text for each in draw(dialogues, many, seed) for asked in each.questions]

    assert drawn(3, 7) == drawn(3, 7)
    assert len(drawn(3, 7)) == 3
    assert len({tuple(drawn(3, seed)) for seed in range(5)}) > 1
    assert len(drawn(None, 7)) == len(drawn(99, 7)) == 9


def test_one_command_prints_and_writes_the_tables(written, tmp_path, capsys):
    out = tmp_path / "out.json"
    assert main(["locomo", str(written(LOCOMO)), "--json", str(out)]) == 0
    tables = json.loads(out.read_text())
    assert [table["name"] for table in tables] == ["dialogues-ranks", "dialogues-budgets", "dialogues-kinds"]
    assert all(table["title"] in capsys.readouterr().out for table in tables[:1])
    assert [row[0] for row in tables[0]["rows"] if row[0] == PARLEY] + [tables[0]["rows"][-1][1]] == [
        PARLEY,
        "1.000",
    ]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("{", "no JSON"),
        ({}, "no list of entries"),
        ([longmemeval(), longmemeval(question_date="yesterday")], "entry 1 cannot be read"),
        ([longmemeval(haystack_dates=[])], "entry 0 cannot be read"),
        ([longmemeval(haystack_sessions=[[{"role": "cook", "content": "a"}], []])], "entry 0 cannot be read"),
        ([7], "entry 0 cannot be read"),
    ],
)
def test_a_file_of_another_shape_is_refused_with_the_place(written, capsys, entries, said):
    path = written(entries)
    with pytest.raises(UnreadableFile, match=said):
        read_longmemeval(path)
    assert main(["longmemeval", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_a_file_in_which_nothing_can_be_found_is_refused(written, capsys):
    assert main(["longmemeval", str(written([longmemeval("q_abs")]))]) == 2
    assert "no question has turns" in capsys.readouterr().err
