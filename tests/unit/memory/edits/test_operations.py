"""A person's hands on their memory: added, corrected, forgotten, taken back, cleared, merged."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parley.core.ports.memory.admin import FactChange
from parley.core.ports.memory.port import MergeOutcome
from parley.memory.edits.operations import add, edit, forget, merge, switch, undo
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import (
    MemoryDocument,
    Notes,
    StoredMemory,
    Summaries,
    Summary,
    clear,
)
from parley.memory.storage.document_format import document_json
from parley.memory.storage.notes_format import NotesFile, notes_json, saved_notes
from tests.kit.samples.memories import at, context, fact, news, stored, summaries_of, texts

MOST = 100
TEA = fact(1, "User likes jasmine tea")
ROME = fact(2, "User lives in Rome")


def summarised(*facts, **summaries):
    return StoredMemory(MemoryDocument(summaries_of(summaries, at(0)), facts))


def undone(memory, when):
    """The memory before its last change, which there must be."""
    before = undo(memory, when)
    assert before is not None
    return before


# Added and corrected


def test_what_a_person_adds_is_certain_and_theirs():
    added = add(stored(), "  I am allergic\nto peanuts ", at(1), MOST)
    assert added.fact == added.stored.document.facts[0]
    assert (added.fact.content, added.fact.confidence, added.fact.source) == (
        "I am allergic to peanuts",
        1.0,
        "manual",
    )
    assert not added.fact.shared


def test_what_is_known_already_becomes_theirs_and_stays_one():
    added = add(stored(TEA), "user likes jasmine tea.", at(1), MOST)
    (one,) = added.stored.document.facts
    assert (one.id, one.manual, one.confidence) == (TEA.id, True, 1.0)


@pytest.mark.parametrize("blank", ["", "  ", "\u200b", "!!"])
def test_nothing_added_is_nothing(blank):
    added = add(stored(TEA), blank, at(1), MOST)
    assert added.fact is None
    assert added.stored == stored(TEA)


def test_what_was_forgotten_may_be_added_again():
    memory = forget(stored(TEA), TEA.id, at(1)).stored
    assert texts(add(memory, TEA.content, at(2), MOST).stored.document.facts) == [TEA.content]


def test_an_edited_fact_is_the_persons_own_and_keeps_nothing_of_the_old_words():
    old = fact(1, "Works on project Falcon", keywords=("falcon",), source_error="falcon")
    edited = edit(stored(old), old.id, FactChange("Works on something new"), at(1))
    assert edited.fact is not None
    assert edited.fact.manual
    assert "alcon" not in document_json(edited.stored.document)


def test_the_old_words_of_an_edited_fact_are_not_learned_again_from_before():
    memory = edit(stored(ROME), ROME.id, FactChange("User lives in Bern"), at(5)).stored
    assert texts(apply_diff(memory, news("User lives in Rome"), context(4)).document.facts) == [
        "User lives in Bern"
    ]


def test_category_and_confidence_alone_may_be_edited():
    edited = edit(stored(TEA), TEA.id, FactChange(category="preference", confidence=7.0), at(1))
    assert edited.fact is not None
    assert (edited.fact.content, edited.fact.category, edited.fact.confidence) == (
        TEA.content,
        "preference",
        1.0,
    )
    assert edited.stored.notes.tombstones == ()


def test_there_is_nothing_to_edit_without_a_fact_or_without_words():
    assert edit(stored(TEA), "fact_none", FactChange("x"), at(1)).fact is None
    assert edit(stored(TEA), TEA.id, FactChange(" "), at(1)).fact is None


# Forgotten


@pytest.mark.parametrize(
    "words",
    [
        TEA.id,
        "user likes jasmine tea",
        "User likes jasmine tea.",
        "jasmine",
        "that I like jasmine tea",
        "my tea",
    ],
)
def test_words_find_what_they_name(words):
    forgotten = forget(stored(TEA, ROME), words, at(1))
    assert forgotten.gone == (TEA,)
    assert forgotten.stored.document.facts == (ROME,)


@pytest.mark.parametrize(
    "words", ["", "  ", "the", "user", "user likes", "用户喜欢", "coffee", "jasmine coffee", "tea in Rome"]
)
def test_words_that_name_nothing_clearly_forget_nothing(words):
    memory = stored(TEA, ROME)
    assert forget(memory, words, at(1)).stored is memory


def test_words_may_name_several_facts():
    aunt = fact(3, "Aunt Kim lives in Rome")
    assert forget(stored(TEA, ROME, aunt), "Rome", at(1)).gone == (ROME, aunt)


def test_exact_words_name_only_themselves():
    longer = fact(3, "User likes jasmine tea with milk")
    assert forget(stored(TEA, longer), TEA.content, at(1)).gone == (TEA,)


def test_chinese_words_find_what_they_name():
    tea, work = fact(1, "用户喜欢喝茉莉花茶"), fact(2, "用户在上海工作")
    assert forget(stored(tea, work), "茉莉花茶", at(1)).gone == (tea,)
    assert forget(stored(tea, work), "上海", at(1)).gone == (work,)


def test_a_fact_is_found_by_whom_it_is_about_and_by_its_keywords():
    kim = fact(1, "Moved to Oslo", subject="Kim", keywords=("sister",))
    assert forget(stored(kim), "Kim", at(1)).gone == (kim,)
    assert forget(stored(kim), "my sister", at(1)).gone == (kim,)


def test_summaries_lose_the_sentences_that_repeat_what_is_forgotten():
    memory = summarised(TEA, work="Writes Go. Drinks jasmine tea all day. Leads a team.", recent="喜欢爬山。")
    for words in (TEA.id, "jasmine tea"):
        after = forget(memory, words, at(1)).stored.document.summaries
        assert after.work.text == "Writes Go. Leads a team."
        assert after.recent.text == "喜欢爬山。"


def test_what_only_a_summary_tells_is_forgotten_too():
    memory = summarised(work="Writes Go. Was fired from Acme in May. Leads a team.")
    forgotten = forget(memory, "Acme", at(1))
    assert [each.content for each in forgotten.gone] == ["Was fired from Acme in May."]
    assert forgotten.stored.document.summaries.work.text == "Writes Go. Leads a team."
    again = apply_diff(forgotten.stored, news("Was fired from Acme"), context(0.5))
    assert again.document.facts == ()


def test_no_copy_is_left_of_what_is_forgotten():
    memory = stored()
    for day, words in enumerate(["User likes jasmine tea", "User lives in Rome", "User plays chess"]):
        memory = apply_diff(memory, news(words), context(day))
    after = forget(memory, "jasmine", at(9)).stored
    written = document_json(after.document) + notes_json(
        NotesFile("ann", "", saved_notes(after.notes, after.document))
    )
    assert "jasmine" not in written.lower()


def test_forgetting_twice_forgets_nothing_more():
    once = forget(stored(TEA), TEA.content, at(1)).stored
    again = forget(once, TEA.content, at(2))
    assert again.gone == ()
    assert again.stored == once


words_of_facts = st.lists(
    st.sampled_from(["tea", "Rome", "chess", "peanuts", "Kim", "garden", "茉莉花", "上海", "4", "often"]),
    min_size=1,
    max_size=5,
).map(lambda words: "User likes " + " ".join(words))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(words_of_facts, min_size=1, max_size=6), st.data())
def test_what_is_forgotten_never_comes_back_from_old_turns(contents, data):
    memory = apply_diff(stored(), news(*contents), context(1))
    forgotten = forget(memory, data.draw(st.sampled_from(memory.document.facts)).id, at(5))
    gone = {each.content for each in forgotten.gone}
    after = forgotten.stored
    for day in (1, 4.9):
        spoken = data.draw(
            st.sampled_from([str, str.upper, "  {}. ".format, lambda text: text.replace("likes", "loves")])
        )
        after = apply_diff(after, news(*map(spoken, contents)), context(day))
        for each in after.document.facts:
            assert each.content not in gone
            assert (
                not forget(stored(each), next(iter(gone)), at(6)).gone
                or each in forgotten.stored.document.facts
            )
    assert undo(after, at(7)) is None or gone.isdisjoint(texts(undone(after, at(7)).document.facts))


# Taken back


def test_the_last_change_is_taken_back_one_by_one():
    memory = apply_diff(
        apply_diff(stored(TEA), news("Plays chess"), context(1)), news("Has a cat"), context(2)
    )
    once = undone(memory, at(3))
    assert texts(once.document.facts) == [TEA.content, "Plays chess"]
    twice = undone(once, at(4))
    assert texts(twice.document.facts) == [TEA.content]
    assert undo(twice, at(5)) is None


def test_a_rewritten_summary_is_taken_back():
    old = summarised(work="Writes Go.")
    new = replace(
        old, document=replace(old.document, summaries=Summaries(work=Summary("Writes Rust.", at(1))))
    )
    back = undone(replace(new, notes=Notes(past=(old.document,))), at(2))
    assert back.document.summaries.work.text == "Writes Go."


def test_what_was_forgotten_is_not_taken_back():
    memory = apply_diff(stored(TEA, ROME), news("Plays chess"), context(1))
    after = forget(memory, TEA.id, at(2)).stored
    assert undo(after, at(3)) is None
    assert texts(after.document.facts) == [ROME.content, "Plays chess"]


def test_what_came_after_a_forgetting_is_taken_back_and_no_more():
    after = forget(stored(TEA, ROME), TEA.id, at(1)).stored
    later = undone(add(after, "Has a cat", at(2), MOST).stored, at(3))
    assert texts(later.document.facts) == [ROME.content]
    assert (undo(later, at(4)), later.notes.forgot) == (None, True)


def test_nothing_is_taken_back_of_a_fresh_memory():
    assert undo(stored(TEA), at(1)) is None


# Cleared and switched


def test_a_cleared_memory_is_empty_and_takes_nothing_that_was_under_way():
    memory = apply_diff(stored(TEA), news("Plays chess"), context(1))
    after = clear(memory)
    assert after.document == MemoryDocument()
    assert (after.notes.past, after.notes.tombstones) == ((), ())
    assert apply_diff(after, news("Plays chess"), context(1, generation=memory.notes.generation)) is after
    assert undo(after, at(2)) is None


def test_clearing_keeps_the_switch_and_the_place_in_each_thread():
    after = clear(stored(TEA, off=True, watermarks={"t1": "turn9"}))
    assert (after.notes.off, after.notes.watermarks) == (True, {"t1": "turn9"})


def test_switching_keeps_what_is_remembered():
    off = switch(stored(TEA), on=False)
    assert off.notes.off
    assert switch(off, on=True) == stored(TEA)


# Merged


def test_two_memories_become_one_and_the_counts_tell():
    mine, theirs = fact(1, "Likes tea", 0.7), fact(7, "likes tea.", 0.9, day=3)
    joined = merge(stored(theirs, fact(8, "Has a cat")), stored(mine, ROME), at(5), MOST)
    assert joined.merged == MergeOutcome(added=1, known=1)
    assert texts(joined.into.document.facts) == ["Likes tea", ROME.content, "Has a cat"]
    first = joined.into.document.facts[0]
    assert (first.confidence, first.confirmed_at) == (0.9, at(3))


def test_the_source_is_clear_afterwards():
    source = merge(stored(TEA), stored(ROME), at(1), MOST).source
    assert source.document == MemoryDocument()
    assert source.notes.generation == 1


def test_facts_of_both_keep_their_ids_and_equal_ids_do_not_lose_one():
    joined = merge(stored(replace(ROME, id=TEA.id), fact(8, "Has a cat")), stored(TEA), at(1), MOST).into
    assert texts(joined.document.facts) == [TEA.content, ROME.content, "Has a cat"]
    ids = [each.id for each in joined.document.facts]
    assert len(set(ids)) == 3
    assert ids[2] == fact(8, "").id


def test_what_was_forgotten_in_either_stays_forgotten():
    forgot = forget(stored(TEA), TEA.id, at(5)).stored
    for joined in (
        merge(forgot, stored(TEA, ROME), at(6), MOST),
        merge(stored(TEA, ROME), forgot, at(6), MOST),
    ):
        assert texts(joined.into.document.facts) == [ROME.content]
        assert apply_diff(joined.into, news(TEA.content), context(4)).document.facts == (ROME,)


def test_what_was_said_again_after_it_was_forgotten_is_merged():
    forgot = forget(stored(TEA), TEA.id, at(5)).stored
    again = replace(TEA, created_at=at(6))
    assert merge(forgot, stored(again), at(7), MOST).into.document.facts == (again,)


def test_summaries_are_joined_without_saying_things_twice():
    joined = merge(
        summarised(work="Writes Go. Leads a team.", personal="Has a cat."),
        summarised(work="Leads a team. Lives in Rome."),
        at(5),
        MOST,
    ).into.document.summaries
    assert joined.work.text == "Leads a team. Lives in Rome. Writes Go."
    assert joined.personal.text == "Has a cat."


def test_switched_off_in_either_is_switched_off():
    assert merge(stored(off=True), stored(TEA), at(1), MOST).into.notes.off
    assert merge(stored(), stored(off=True), at(1), MOST).into.notes.off


def test_the_cap_holds_and_only_what_was_kept_counts_as_added():
    source = stored(*(fact(n, f"Number {n} is lucky", 0.7) for n in range(20, 30)))
    joined = merge(source, stored(TEA, ROME), at(1), most=5)
    assert len(joined.into.document.facts) == 5
    assert joined.merged == MergeOutcome(added=3, known=0)


def test_a_merge_is_not_taken_back_as_its_source_is_gone():
    into = apply_diff(stored(ROME), news("Plays chess"), context(1))
    assert undo(merge(stored(TEA), into, at(2), MOST).into, at(3)) is None
