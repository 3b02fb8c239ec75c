"""New facts: what is stored, what is known already, and what is never learned."""

from __future__ import annotations

import math

import pytest

from parley.memory.edits.normalise import MOST_OF_FACT
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.learning.extraction.diff import Confirmation, Diff, Judgement, ProposedFact, Relation
from parley.memory.model.document import Category
from parley.memory.options import MemoryOptions
from tests.kit.samples.memories import CORRECTION, at, context, fact, learned, news, stored, texts


def after(memory, diff, day=1.0, *turns, **options):
    return apply_diff(memory, diff, context(day, *turns), MemoryOptions(**options)).document


def test_a_fact_is_stored_with_its_thread_its_time_and_a_fresh_id():
    (one,) = after(stored(), news("Lives in Rome", category=Category.CONTEXT)).facts
    assert (one.source, one.created_at, one.confirmed_at) == ("t1", at(1), "")
    assert len(one.id) == len("fact_") + 8
    assert one.id.startswith("fact_")


def test_a_time_is_utc_and_ends_in_z():
    document = after(stored(), news("Lives in Rome"))
    assert all(time.endswith("Z") for time in (document.updated_at, document.facts[0].created_at))


@pytest.mark.parametrize(("confidence", "kept"), [(0.69, 0), (0.7, 1), (0.95, 1)])
def test_only_what_is_sure_enough_is_stored(confidence, kept):
    assert len(after(stored(), news("Lives in Rome", confidence=confidence)).facts) == kept


@pytest.mark.parametrize(
    ("given", "stored_as"), [(95.0, 1.0), (math.inf, None), (math.nan, None), (-3.0, None)]
)
def test_a_confidence_out_of_bounds_is_clamped_and_loses_nothing_else(given, stored_as):
    diff = Diff((ProposedFact("Lives in Rome", confidence=given), ProposedFact("Likes tea", confidence=0.9)))
    facts = after(stored(), diff).facts
    assert [each.confidence for each in facts] == ([stored_as] if stored_as else []) + [0.9]


@pytest.mark.parametrize("blank", ["", "  ", "\n", "\u200b", "...", "—"])
def test_a_blank_fact_is_never_stored(blank):
    assert texts(after(stored(), news(blank, "Likes tea")).facts) == ["Likes tea"]


def test_a_fact_is_one_line_of_a_bounded_length():
    (one,) = after(stored(), news("Likes\n  tea. " + "And more of it. " * 200)).facts
    assert one.content.startswith("Likes tea. And more")
    assert len(one.content) <= MOST_OF_FACT


@pytest.mark.parametrize(
    "again", ["Likes tea", "likes  tea", "Likes tea.", " LIKES TEA ", "Ｌｉｋｅｓ　ｔｅａ", "“Likes tea”"]
)
def test_the_same_in_other_type_is_one_fact(again):
    assert texts(after(stored(fact(1, "Likes tea")), news(again)).facts) == ["Likes tea"]
    assert len(after(stored(), news("Likes tea", again)).facts) == 1


def test_chinese_punctuation_makes_no_second_fact():
    assert texts(after(stored(fact(1, "喜欢喝茶")), news("喜欢喝茶。", "喜欢喝茶！")).facts) == ["喜欢喝茶"]


def test_said_again_with_more_certainty_counts_as_that_and_as_fresh():
    (one,) = after(stored(fact(1, "Likes tea", 0.7, day=0)), news("likes tea", confidence=0.98), 5).facts
    assert (one.id, one.confidence, one.created_at, one.confirmed_at) == ("fact_00000001", 0.98, at(0), at(5))
    assert one.source == "thread"


def test_said_again_with_less_certainty_takes_nothing_away():
    (one,) = after(stored(fact(1, "Likes tea", 0.95)), news("likes tea", confidence=0.7)).facts
    assert one.confidence == 0.95


ACME = "Works at Acme in Berlin"
FULLER = "Works at Acme in Berlin and leads a team"


@pytest.mark.parametrize(("known", "new"), [(ACME, FULLER), (FULLER, ACME)])
def test_certain_duplicates_are_merged_into_the_fuller_words(known, new):
    (one,) = after(stored(fact(1, known)), news(new)).facts
    assert (one.id, one.content) == ("fact_00000001", FULLER)


def test_duplicates_within_one_answer_are_merged_too():
    assert texts(after(stored(), news(ACME, "Likes tea", FULLER)).facts) == [FULLER, "Likes tea"]


def test_what_only_looks_alike_is_kept_beside_unless_the_extraction_judged():
    memory = stored(fact(1, "Birthday is on May 4"))
    assert len(after(memory, news("Birthday is on May 5")).facts) == 2


@pytest.mark.parametrize(
    ("relation", "kept"),
    [
        (Relation.SAME, ["Enjoys running"]),
        (Relation.SUPERSEDES, ["Enjoys running", "Goes jogging each day"]),
        (Relation.KEEP_BOTH, ["Enjoys running", "Goes jogging each day"]),
    ],
)
def test_the_extractions_verdict_decides_what_only_looks_alike(relation, kept):
    memory = stored(fact(1, "Enjoys running"))
    diff = news("Goes jogging each day", judgements=(Judgement("fact_00000001", relation),))
    facts = after(memory, diff).facts
    assert texts(facts) == kept
    assert bool(facts[0].until) is (relation is Relation.SUPERSEDES)


def test_a_verdict_of_the_same_confirms():
    memory = stored(fact(1, "Enjoys running", 0.7))
    diff = news("Goes jogging", confidence=0.9, judgements=(Judgement("fact_00000001", Relation.SAME),))
    (one,) = after(memory, diff, 3).facts
    assert (one.confidence, one.confirmed_at) == (0.9, at(3))


def test_a_verdict_about_a_fact_that_there_is_not_does_nothing():
    diff = news("Likes tea", judgements=(Judgement("fact_gone", Relation.SAME),))
    assert texts(after(stored(), diff).facts) == ["Likes tea"]


def test_a_verdict_never_removes_what_the_person_wrote():
    memory = stored(fact(1, "Lives in Rome", source="manual"))
    diff = news("Lives in Bern", judgements=(Judgement("fact_00000001", Relation.SUPERSEDES),))
    assert texts(after(memory, diff).facts) == ["Lives in Rome", "Lives in Bern"]


def test_a_model_never_rewrites_what_the_person_wrote():
    mine = fact(1, ACME, source="manual", confidence=1.0)
    facts = after(stored(mine), news(FULLER, ACME.lower())).facts
    assert texts(facts) == [ACME, FULLER]
    assert facts[0].manual


def test_a_fact_is_shared_only_if_no_turn_it_came_from_was_private():
    aloud, private = learned("a", private=False), learned("p", private=True)
    diff = Diff(
        (
            ProposedFact("Likes tea", confidence=0.9, turns=("a",)),
            ProposedFact("Earns 100 a day", confidence=0.9, turns=("a", "p")),
            ProposedFact("Has two cats", confidence=0.9),
            ProposedFact("Plays chess", confidence=0.9, turns=("unknown",)),
        )
    )
    facts = after(stored(), diff, 1, aloud, private).facts
    assert {each.content: each.shared for each in facts} == {
        "Likes tea": True, "Earns 100 a day": False, "Has two cats": False, "Plays chess": False,
    }  # fmt: skip


@pytest.mark.parametrize(("private", "aloud"), [(FULLER, ACME), (ACME, FULLER)])
def test_a_private_facts_words_never_become_shared_by_joining(private, aloud):
    facts = after(stored(fact(1, private)), news(aloud), 1, learned("a", private=False)).facts
    assert {each.content: each.shared for each in facts} == {private: False, aloud: True}


def test_the_same_words_said_aloud_make_a_private_fact_shared():
    (one,) = after(stored(fact(1, "Likes tea")), news("Likes tea"), 1, learned("a", private=False)).facts
    assert one.shared


def test_a_private_turn_adds_nothing_to_a_shared_fact_but_certainty():
    shared = fact(1, "Works at Acme in the Berlin office", 0.7, shared=True)
    diff = news("Works at Acme in the Berlin office", subject="secret", keywords=("secret",))
    (one,) = after(stored(shared), diff).facts
    assert (one.confidence, one.subject, one.keywords, one.shared) == (0.9, "", (), True)


@pytest.mark.parametrize(
    "news_of_a_file",
    [
        "User uploaded report.pdf",
        "The user has attached a screenshot",
        "A document was uploaded by the user",
        "The file is at /mnt/user-data/uploads/report.pdf",
        "用户上传了一份文件",
        "上传了 report.pdf",
        "文件已上传",
    ],
)
def test_news_of_an_upload_is_never_learned(news_of_a_file):
    assert after(stored(), news(news_of_a_file)).facts == ()


@pytest.mark.parametrize(
    "content",
    [
        "Maintains a file upload service",
        "Uses Node v20.1 and uploaded a file to S3 at work",
        "维护一个文件上传服务",
    ],
)
def test_ordinary_facts_about_files_are_learned(content):
    assert texts(after(stored(), news(content)).facts) == [content]


def test_stored_facts_are_never_judged_as_news_of_an_upload():
    memory = stored(fact(1, "Uploaded the family photos to /mnt/user-data/ once", source="manual"))
    assert len(after(memory, news("Likes tea")).facts) == 2


def test_the_mistake_that_a_correction_corrects_is_kept_with_it():
    diff = Diff((ProposedFact("The project is in Go", CORRECTION, 0.95, "said that it is in Rust"),))
    (one,) = after(stored(), diff).facts
    assert (one.category, one.source_error) == (CORRECTION, "said that it is in Rust")


def test_a_confirmation_refreshes_and_an_unknown_one_does_nothing():
    diff = Diff(confirmations=(Confirmation("fact_00000001"), Confirmation("nobody")))
    (one,) = after(stored(fact(1, "Likes tea")), diff, 9).facts
    assert one.confirmed_at == at(9)


def test_ids_are_never_used_twice():
    memory = stored()
    seen: set[str] = set()
    for day in range(30):
        memory = apply_diff(
            memory, news(f"Number {day} is lucky"), context(day + 1), MemoryOptions(max_facts=2)
        )
        new = {each.id for each in memory.document.facts} - seen
        assert len(new) == 1
        seen |= new


def test_an_id_that_a_hand_edited_file_uses_is_not_given_again():
    first = apply_diff(stored(), news("Likes tea"), context(1))
    taken = apply_diff(first, news("Likes milk"), context(2)).document.facts[-1].id
    memory = stored(*first.document.facts, fact(1, "Mine", id=taken), last_id=first.notes.last_id)
    ids = [each.id for each in apply_diff(memory, news("Likes milk"), context(2)).document.facts]
    assert len(set(ids)) == 3
