"""Memories of other programs are read as facts; a text that is none is refused, and the place is named."""

from __future__ import annotations

import json

import pytest

from parley.core.ports.memory.controls import ImportProblem, ImportRefused
from parley.memory.controls.import_shapes import MOST_ENTRIES, read_import
from parley.memory.model.document import Category

# mem0ai/mem0 (Apache-2.0), `Memory.get_all` as documented, and the list of its versions before 1.1.
MEM0 = [
    {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "memory": "Likes tea",
        "hash": "285d07801ae42054732314853e9eadd7",
        "metadata": {"category": "preference"},
        "created_at": "2024-07-20T01:30:36.275141-07:00",
        "updated_at": None,
        "user_id": "ann",
    }
]
CHATGPT = [
    {"content": "Likes tea", "enabled": True, "created_at": 1714300000.5, "updated_at": 1714300000.5},
    {"content": "Is on a trip", "enabled": False, "created_at": 1714300000.5},
]
LINES = "1. [2024-04-26]. User loves dogs.\n2. [2024-04-30] User loves tea.\n\n- Has a cat\n"


def read(value):
    return read_import(value if isinstance(value, str) else json.dumps(value))


@pytest.mark.parametrize("value", [{"results": MEM0}, MEM0], ids=["results", "list"])
def test_mem0(value):
    (fact,) = read(value).facts
    assert (fact.content, fact.category) == ("Likes tea", Category.PREFERENCE)
    assert fact.created_at == "2024-07-20T08:30:36.275141Z"


@pytest.mark.parametrize("value", [{"memories": CHATGPT}, CHATGPT], ids=["page", "file"])
def test_chatgpt_without_what_was_switched_off(value):
    found = read(value)
    assert [(fact.content, fact.created_at[:10]) for fact in found.facts] == [("Likes tea", "2024-04-28")]
    assert found.left_out == 1


def test_what_chatgpt_answers_when_asked():
    assert [(fact.content, fact.created_at[:10]) for fact in read(LINES).facts] == [
        ("User loves dogs.", "2024-04-26"),
        ("User loves tea.", "2024-04-30"),
        ("Has a cat", ""),
    ]
    assert len(read("[2024-04-26]. User loves dogs.").facts) == 1


def test_our_own_document():
    found = read({"user": {"workContext": {"summary": "A nurse."}}, "facts": [{"content": "Likes tea"}]})
    assert found.facts[0].content == "Likes tea"
    assert found.summaries.work.text == "A nurse."


@pytest.mark.parametrize(
    ("text", "problem", "place"),
    [
        ("", ImportProblem.NO_MEMORIES, "1"),
        ("-\n*\n", ImportProblem.NO_MEMORIES, "1"),
        ('{"results": [', ImportProblem.NOT_JSON, "1:14"),
        ("[" * 100_000, ImportProblem.NOT_JSON, "…"),
        ('{"results": [' + "9" * 5_000 + "]}", ImportProblem.NOT_JSON, "…"),
        ('{"mapping": {}, "title": ""}', ImportProblem.NO_MEMORIES, "mapping, title"),
        ("{}", ImportProblem.NO_MEMORIES, "{}"),
        ('{"facts": {"a": 1}}', ImportProblem.NO_MEMORIES, "facts"),
        ('{"facts": [{"content": "x"}, {"content": 7}]}', ImportProblem.NO_TEXT, "facts[1].content"),
        ('{"results": [{"memory": "x"}, 7]}', ImportProblem.NO_TEXT, "results[1]"),
        ('[{"content": "x"}, {"content": "..."}]', ImportProblem.NO_TEXT, "[1]"),
        (json.dumps(["x"] * (MOST_ENTRIES + 1)), ImportProblem.TOO_MANY, str(MOST_ENTRIES)),
        ("x\n" * (MOST_ENTRIES + 1), ImportProblem.TOO_MANY, str(MOST_ENTRIES)),
        ("ß" * 4_100_000, ImportProblem.TOO_LARGE, "8 MB"),
    ],
)
def test_what_is_no_memory_is_refused_and_the_place_is_named(text, problem, place):
    with pytest.raises(ImportRefused) as refused:
        read_import(text)
    assert (refused.value.problem, refused.value.place) == (problem, place)
