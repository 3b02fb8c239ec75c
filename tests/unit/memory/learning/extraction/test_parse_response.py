"""A model's answer is read whatever surrounds it, and one bad item never loses the others."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from parley.core.model.errors import MemoryFailed
from parley.memory.learning.extraction.diff import UNREADABLE, Confirmation, Judgement, Relation, Removal
from parley.memory.learning.extraction.parse_response import ShownIds, content_text, read_object, read_text
from parley.memory.model.document import Category
from parley.memory.text.escape import escaped, unescaped

SHOWN = ShownIds({"F1": "fact_1", "F2": "fact_2"}, ("turn-a", "turn-b"))


def update(**changes):
    return {"user": {}, "history": {}, "newFacts": [], "factsToRemove": [], "confirmations": [], **changes}


def fact(content="Likes tea", **changes):
    return {"content": content, "category": "preference", "confidence": 0.9, **changes}


def contents(diff):
    return [new.content for new in diff.new_facts]


ANSWER = json.dumps(update(newFacts=[fact()]))
SURROUNDED = {
    "bare": ANSWER,
    "fenced": f"```json\n{ANSWER}\n```",
    "prose": f"Here is the update you asked for:\n{ANSWER}\nLet me know!",
    "thought": f'<think>maybe {{"newFacts": [{{"content": "Hates tea"}}]}}?</think>{ANSWER}',
    "unclosed thought": f"<think>The user likes {{tea}}, so {ANSWER}",
    "decoy before": f'{{"note": {{"a": 1}}}} {{"user": "x"}} {ANSWER}',
    "decoy after": f'{ANSWER}\n{{"newFacts": []}}',
    "in a list": f"[{ANSWER}]",
    "in an object": f'{{"result": {{"update": {ANSWER}}}}}',
    "broken before": f'{{"newFacts": [{{"content": {ANSWER}',
}


@pytest.mark.parametrize("text", SURROUNDED.values(), ids=SURROUNDED)
def test_think_blocks_prose_fences_decoys_and_enclosures_are_tolerated(text):
    assert contents(read_text(text, SHOWN)) == ["Likes tea"]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ('{"newFacts": [{"content": "Likes tea", "confidence": 0.9,},],}', "Likes tea"),
        ('Here is "it: {"newFacts": [{"content": "Likes, ] tea", },\n ], }', "Likes, ] tea"),
        ('{"newFacts": [{"content": "Likes tea,\nand jam"}]}', "Likes tea,\nand jam"),
        ('{"newFacts": [{"content": "Says \\",}\\"", }, ], }', 'Says ",}"'),
    ],
)
def test_trailing_commas_and_raw_line_ends_are_read(text, content):
    assert contents(read_text(text, SHOWN)) == [content]


@pytest.mark.parametrize("part", ['"\\', ",", ", ", '{"', '",}', "\\"])
def test_long_broken_answers_are_refused(part):
    with pytest.raises(MemoryFailed):
        read_text("{" + part * 100_000, SHOWN)


def test_list_of_blocks_is_read_as_text_never_as_a_repr():
    blocks = [{"type": "reasoning", "summary": []}, {"type": "text", "text": ANSWER[:20]}, ANSWER[20:], 3]
    assert content_text(blocks) == ANSWER  # a break would end a JSON string that goes on in the next block
    assert content_text([ANSWER[:20], ANSWER[20:]]) == ANSWER
    assert content_text("plain") == "plain"
    assert content_text(None) == ""


@pytest.mark.parametrize(
    "text", ["", "I cannot help.", '{"user": {}}', ANSWER[:-5], "{" * 3_000, "[" * 90_000]
)
def test_an_answer_without_a_whole_update_is_refused(text):
    with pytest.raises(MemoryFailed):
        read_text(text, SHOWN)


def test_an_answer_without_removals_is_accepted():
    assert contents(read_text(json.dumps({"newFacts": [fact()]}), SHOWN)) == ["Likes tea"]


def test_one_bad_item_never_loses_the_rest():
    bad = [None, 3, "x", [], {}, fact(content=None), fact("  "), fact(confidence=True),
           fact(confidence="sure"), fact(confidence=float("nan")), fact(confidence=float("inf"))]  # fmt: skip
    diff = read_object(
        update(
            newFacts=[*bad, fact(), fact("Has a dog", category=7, keywords="dog", turns={}, similar=[0])],
            factsToRemove=[None, 4, {"id": ["F1"]}, {"id": "F2", "reason": 5},
                           {"id": "F2", "reason": "sold", "scope": "user"}],
            confirmations=[{}, None, "F1", {"id": "F1"}],
            user={"workContext": {"shouldUpdate": True, "summary": ["a", "b"]},
                  "personalContext": {"shouldUpdate": True, "summary": "Has a dog."}, "topOfMind": "busy"},
            history=None,
        ),
        SHOWN,
    )  # fmt: skip
    assert contents(diff) == ["Likes tea", "Has a dog"]
    assert diff.unreadable == len(bad)
    assert diff.new_facts[1].category == Category.CONTEXT
    assert diff.removals == (Removal("fact_2", "sold"),)
    assert diff.confirmations == (Confirmation("fact_1"),)
    assert [(change.name, change.text) for change in diff.summaries] == [("personalContext", "Has a dog.")]


@pytest.mark.parametrize(
    ("written", "read"),
    [(0.8, 0.8), ("0.8", 0.8), (95, 0.95), (100, 1.0), (1, 1.0), (None, 0.5), (-3, -3.0), (1e9, 1e9)],
)
def test_confidence_is_a_number_however_it_is_written(written, read):
    assert read_object(update(newFacts=[fact(confidence=written)]), SHOWN).new_facts[0].confidence == read


def test_a_malformed_replacement_never_becomes_a_deletion():
    removals = [
        {"id": "F1", "reason": "moved", "scope": "user", "replacementFactIndex": index}
        for index in (0, 1, 9, "1", True, None)
    ]
    diff = read_object(update(newFacts=[fact(content=[]), fact()], factsToRemove=removals), SHOWN)
    assert [each.replaced_by for each in diff.removals] == [
        UNREADABLE,
        0,
        UNREADABLE,
        UNREADABLE,
        UNREADABLE,
        None,
    ]


def test_what_holds_for_a_task_only_is_no_fact_and_its_replacement_no_deletion():
    diff = read_object(
        update(
            newFacts=[fact("Wants this report in red", scope="task"), fact(scope="user")],
            factsToRemove=[{"id": "F1", "reason": "new", "scope": "user", "replacementFactIndex": 0}],
        ),
        SHOWN,
    )
    assert contents(diff) == ["Likes tea"]
    assert diff.removals[0].replaced_by == UNREADABLE


def test_a_removal_has_a_reason_and_holds_for_the_person_and_is_of_a_fact_that_was_shown():
    removals = [
        "F1",
        {"id": "F1"},
        {"id": "F1", "reason": "moved"},
        {"id": "F1", "scope": "user"},
        {"id": "F1", "reason": "English for this report", "scope": "task"},
        {"id": "F1", "reason": "moved", "scope": "user"},
        {"id": "F2", "forget": True},
        {"id": "F9", "reason": "moved", "scope": "user"},
    ]
    diff = read_object(update(factsToRemove=removals, confirmations=["F9", "F2"]), SHOWN)
    assert diff.removals == (Removal("fact_1", "moved"), Removal("fact_2", "", None, forget=True))
    assert diff.confirmations == (Confirmation("fact_2"),)


def test_verdicts_about_likely_duplicates_are_read():
    similar = [
        {"id": "F1", "relation": "same"},
        {"id": "F2", "relation": "Keep_Both"},
        {"id": "F9", "relation": "same"},
        {"id": "F1", "relation": "maybe"},
    ]
    (new,) = read_object(update(newFacts=[fact(similar=similar)]), SHOWN).new_facts
    assert new.judgements == (Judgement("fact_1", Relation.SAME), Judgement("fact_2", Relation.KEEP_BOTH))


def test_a_fact_names_the_turns_it_comes_from():
    (new,) = read_object(update(newFacts=[fact(turns=["T2", 1, "2", "T7", 0, None])]), SHOWN).new_facts
    assert new.turns == ("turn-b", "turn-a")


def test_a_summary_changes_only_where_the_model_says_so():
    user = {
        "workContext": {"shouldUpdate": False, "summary": "ignored"},
        "personalContext": {"summary": "ignored"},
        "topOfMind": {"shouldUpdate": "true", "summary": "", "shrinks": True},
    }
    (change,) = read_object(update(user=user), SHOWN).summaries
    assert (change.name, change.text, change.shrinks) == ("topOfMind", "", True)


def test_escapes_do_not_drift_from_round_to_round():
    stored = "R&D lead, <b>bold</b>, literally &amp; and &lt;"
    for _ in range(3):
        echoed = update(
            newFacts=[fact(escaped(stored), keywords=[escaped("R&D")], sourceError=escaped("a<b"))]
        )
        (new,) = read_object(echoed, SHOWN).new_facts
        assert (new.content, new.keywords, new.source_error) == (stored, ("R&D",), "a<b")
        stored = new.content
    assert read_object(update(newFacts=[fact("R&D lead")]), SHOWN).new_facts[0].content == "R&D lead"


@given(some.text())
def test_what_is_escaped_comes_back_as_it_was(text):
    assert unescaped(escaped(text)) == text


_ANY = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: (
        some.lists(inner, max_size=4)
        | some.dictionaries(
            some.sampled_from(
                ["id", "content", "confidence", "summary", "workContext", "replacementFactIndex", "turns"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(some.fixed_dictionaries(dict.fromkeys(update(), _ANY)))
def test_no_answer_of_any_shape_breaks_the_reading(answer):
    diff = read_object(answer, SHOWN)
    assert all(new.content for new in diff.new_facts)
    assert {each.id for each in diff.removals} <= set(SHOWN.facts.values())
    assert {each.id for each in diff.confirmations} <= set(SHOWN.facts.values())
