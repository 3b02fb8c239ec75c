"""What goes, what is forgotten, summaries, undo's versions, and what fences an extraction."""

from __future__ import annotations

import pytest

from parley.memory.edits.history import PAST_VERSIONS
from parley.memory.edits.operations import forget
from parley.memory.edits.summaries import MOST_OF_SUMMARY
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.learning.extraction.diff import (
    UNREADABLE,
    Diff,
    Judgement,
    ProposedFact,
    Relation,
    Removal,
    SummaryChange,
)
from parley.memory.model.document import MemoryDocument, Notes, StoredMemory, Summary
from parley.memory.options import MemoryOptions
from tests.kit.samples.memories import at, context, fact, learned, news, stored, summaries_of, texts

ROME = fact(1, "Lives in Rome", 0.95)


def facts_after(memory, diff, day=1.0, **options):
    return texts(apply_diff(memory, diff, context(day), MemoryOptions(**options)).document.facts)


def summarised(**summaries):
    return StoredMemory(MemoryDocument(summaries_of(summaries, at(0))))


def work_after(memory, *changes, day=1.0):
    return apply_diff(memory, Diff(summaries=changes), context(day)).document.summaries.work.text


def test_what_is_out_of_date_goes():
    assert facts_after(stored(ROME), Diff(removals=(Removal(ROME.id, "moved away"),))) == []


def test_an_answer_without_removals_is_a_good_answer():
    assert facts_after(stored(ROME), news("Likes tea")) == ["Lives in Rome", "Likes tea"]


def test_a_removal_of_nothing_does_nothing():
    assert facts_after(stored(ROME), Diff(removals=(Removal("fact_none"),))) == ["Lives in Rome"]


def test_a_replaced_fact_goes_with_its_replacement_in_place():
    diff = Diff((ProposedFact("Moved to Bern", confidence=0.9),), (Removal(ROME.id, replaced_by=0),))
    assert facts_after(stored(ROME), diff) == ["Moved to Bern"]


@pytest.mark.parametrize("replaced_by", [UNREADABLE, 5])
def test_a_replacement_that_could_not_be_read_is_never_a_deletion(replaced_by):
    diff = Diff(removals=(Removal(ROME.id, replaced_by=replaced_by),))
    assert facts_after(stored(ROME), diff) == ["Lives in Rome"]


@pytest.mark.parametrize(
    "bad", [ProposedFact("  ", confidence=0.9), ProposedFact("Moved to Bern", confidence=0.3)]
)
def test_a_replacement_that_is_not_stored_is_never_a_deletion(bad):
    assert facts_after(stored(ROME), Diff((bad,), (Removal(ROME.id, replaced_by=0),))) == ["Lives in Rome"]


def test_while_a_fact_of_the_answer_was_unreadable_nothing_is_just_deleted():
    diff = Diff(removals=(Removal(ROME.id),), unreadable=1)
    assert facts_after(stored(ROME), diff) == ["Lives in Rome"]


def test_a_fact_that_the_same_answer_states_again_does_not_go():
    diff = Diff(
        (ProposedFact("lives in rome", confidence=0.9),), (Removal(ROME.id, replaced_by=0), Removal(ROME.id))
    )
    assert facts_after(stored(ROME), diff) == ["Lives in Rome"]


def test_a_model_never_removes_what_the_person_wrote():
    mine = fact(1, "Lives in Rome", source="manual")
    diff = Diff(
        (ProposedFact("Moved to Bern", confidence=0.9),), (Removal(mine.id), Removal(mine.id, replaced_by=0))
    )
    assert facts_after(stored(mine), diff) == ["Lives in Rome", "Moved to Bern"]


def test_a_replacement_is_not_evicted_for_the_place_of_what_it_replaces():
    full = [ROME, *(fact(n, f"Number {n} is lucky", 0.95) for n in range(2, 11))]
    diff = Diff((ProposedFact("Moved to Bern", confidence=0.9),), (Removal(ROME.id, replaced_by=0),))
    kept = facts_after(stored(*full), diff, max_facts=10)
    assert "Moved to Bern" in kept
    assert "Lives in Rome" not in kept
    assert len(kept) == 10


def test_what_the_person_asked_to_forget_goes_whoever_wrote_it_and_whatever_else_was_unreadable():
    mine = fact(1, "Lives in Rome", source="manual")
    diff = Diff(removals=(Removal(mine.id, forget=True),), unreadable=3)
    after = apply_diff(stored(mine), diff, context(1))
    assert after.document.facts == ()
    assert len(after.notes.tombstones) == 1


def test_forgetting_never_makes_a_fact_about_not_wanting_to_talk_of_it():
    memory = stored(fact(1, "Was divorced from Kim in 2019"))
    diff = Diff(
        (ProposedFact("Does not want to talk about the divorce from Kim", confidence=0.9),),
        (Removal("fact_00000001", forget=True),),
    )
    assert facts_after(memory, diff) == []


def test_a_forgotten_fact_is_never_learned_again_from_earlier_turns():
    memory = forget(stored(ROME), ROME.id, at(5)).stored
    for words in ("Lives in Rome", "lives in rome.", "Is living in Rome"):
        assert facts_after(memory, news(words), day=4) == []


def test_one_forgotten_word_bars_no_statement_of_more():
    likes = fact(1, "User likes tea")
    memory = forget(stored(likes), likes.id, at(5)).stored
    assert facts_after(memory, news("User loves tea", "User likes green tea"), day=4) == []
    assert facts_after(memory, news("User is allergic to black tea"), day=4) == [
        "User is allergic to black tea"
    ]


def test_a_sentence_of_a_summary_with_one_forgotten_word_is_dropped():
    likes = fact(1, "User likes tea")
    memory = forget(stored(likes), likes.id, at(5)).stored
    change = SummaryChange("workContext", "Works at Acme. Likes tea and dogs.")
    assert work_after(memory, change, day=4) == "Works at Acme."


def test_a_forgotten_fact_said_again_later_is_learned_again():
    memory = forget(stored(ROME), ROME.id, at(5)).stored
    assert facts_after(memory, news("Lives in Rome"), day=6) == ["Lives in Rome"]


def test_of_turns_before_and_after_the_forgetting_the_one_that_said_it_counts():
    memory = forget(stored(ROME), ROME.id, at(5)).stored
    turns = (learned("before", 4), learned("after", 6))
    for cited, kept in ((("before",), 0), (("after",), 1), ((), 0), (("before", "after"), 1)):
        diff = news("Lives in Rome", turns=cited)
        assert len(apply_diff(memory, diff, context(7, *turns)).document.facts) == kept


def test_another_fact_is_not_taken_for_the_forgotten_one():
    memory = forget(stored(fact(1, "User likes jasmine tea")), "fact_00000001", at(5)).stored
    others = ["User likes black coffee", "User likes green apples", "User lives in Rome"]
    assert facts_after(memory, news(*others), day=4) == others


def test_a_summary_is_rewritten_and_dated():
    after = apply_diff(
        summarised(work="Writes Go."),
        Diff(summaries=(SummaryChange("workContext", "Writes Rust."),)),
        context(3),
    )
    assert after.document.summaries.work == Summary("Writes Rust.", at(3))
    assert after.document.updated_at == at(3)


def test_a_summary_of_no_known_name_is_left_out():
    after = apply_diff(stored(), Diff(summaries=(SummaryChange("hobbies", "Chess."),)), context(1))
    assert after.document == MemoryDocument()


def test_a_summary_has_a_bounded_length_and_ends_with_a_sentence():
    text = work_after(stored(), SummaryChange("workContext", "Writes Go at Acme. " * 2000))
    assert len(text) <= MOST_OF_SUMMARY
    assert text.endswith("Acme.")


def test_a_summary_without_any_sentence_is_cut_too():
    assert len(work_after(stored(), SummaryChange("workContext", "写" * 40_000))) == MOST_OF_SUMMARY


LONG = "Writes Go at Acme in Berlin. Leads a team of five. Moves to Rust."


@pytest.mark.parametrize("lost", ["", "  ", "Writes Go."])
def test_a_summary_does_not_collapse_unless_that_is_meant(lost):
    assert work_after(summarised(work=LONG), SummaryChange("workContext", lost)) == LONG
    assert work_after(summarised(work=LONG), SummaryChange("workContext", lost, shrinks=True)) == lost.strip()


def test_a_summary_may_become_somewhat_shorter():
    shorter = "Writes Go at Acme in Berlin. Leads five."
    assert work_after(summarised(work=LONG), SummaryChange("workContext", shorter)) == shorter


def test_news_of_an_upload_never_enters_a_summary():
    text = "Writes Go at Acme. The user uploaded report.pdf. Leads a team."
    assert work_after(stored(), SummaryChange("workContext", text)) == "Writes Go at Acme. Leads a team."


def test_a_summary_never_brings_back_what_was_forgotten():
    memory = forget(stored(ROME), ROME.id, at(5)).stored
    text = "Writes Go at Acme. Is living in Rome. Leads a team."
    assert work_after(memory, SummaryChange("workContext", text), day=4) == "Writes Go at Acme. Leads a team."
    assert work_after(memory, SummaryChange("workContext", text), day=6) == text


def test_the_last_versions_are_kept_newest_first():
    memory = stored()
    for day in range(1, 9):
        memory = apply_diff(memory, news(f"Number {day} is lucky"), context(day))
    past = [len(version.facts) for version in memory.notes.past]
    assert past == [7, 6, 5, 4, 3]
    assert len(past) == PAST_VERSIONS


def test_a_diff_that_changes_nothing_makes_no_version():
    memory = apply_diff(stored(ROME), Diff(), context(1))
    assert memory.notes.past == ()
    assert memory.document == stored(ROME).document


def test_the_last_turn_of_each_thread_is_noted():
    turns = (
        learned("turn1", 1, thread="a"),
        learned("turn2", 2, thread="b"),
        learned("turn3", 3, thread="a"),
    )
    memory = apply_diff(stored(watermarks={"a": "old", "c": "kept"}), Diff(), context(4, *turns))
    assert memory.notes.watermarks == {"a": "turn3", "b": "turn2", "c": "kept"}


def test_watermarks_do_not_pile_up():
    memory = stored()
    for number in range(250):
        memory = apply_diff(memory, Diff(), context(number, learned(thread=f"t{number}", day=number)))
    assert len(memory.notes.watermarks) == 200
    assert "t249" in memory.notes.watermarks


def test_a_memory_cleared_meanwhile_takes_nothing():
    cleared = StoredMemory(notes=Notes(generation=4))
    assert apply_diff(cleared, news("Likes tea"), context(1, generation=3)) is cleared


def test_a_memory_switched_off_takes_nothing():
    off = StoredMemory(notes=Notes(off=True))
    assert apply_diff(off, news("Likes tea"), context(1)) is off


def test_what_is_applied_to_stays_as_it_was():
    memory = stored(ROME)
    apply_diff(memory, Diff(removals=(Removal(ROME.id),)), context(1))
    assert texts(memory.document.facts) == ["Lives in Rome"]


def test_superseding_and_removing_the_same_fact_is_one_change():
    diff = Diff(
        (
            ProposedFact(
                "Moved to Bern", confidence=0.9, judgements=(Judgement(ROME.id, Relation.SUPERSEDES),)
            ),
        ),
        (Removal(ROME.id, replaced_by=0),),
    )
    assert facts_after(stored(ROME), diff) == ["Lives in Rome", "Moved to Bern"]
