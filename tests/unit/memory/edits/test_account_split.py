"""A linked memory taken apart again: each account has what came from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from parley.core.model.address import User
from parley.core.ports.memory.port import AccountUnlink
from parley.memory.edits.account_split import AccountSplit, split_account
from parley.memory.edits.operations import add, forget, merge, undo
from parley.memory.learning.apply_diff import apply_diff
from parley.memory.model.document import MemoryDocument, StoredMemory, Summaries, Summary
from parley.memory.storage.document_format import document_json, read_document
from parley.memory.storage.notes_format import SavedNotes, restored_notes, saved_notes
from tests.kit.samples.memories import at, context, fact, learned, news, stored, texts, turn
from tests.unit.memory.test_service import service_on

MOST = 100
BOB = "chat:bob"
TEA = fact(1, "User likes jasmine tea")
ROME = fact(2, "User lives in Rome")


def summarised(work, *facts):
    return StoredMemory(MemoryDocument(Summaries(work=Summary(work, at(0))), facts))


def linked(bobs, anns):
    return merge(bobs, anns, at(1), MOST, BOB).into


def given(parted: AccountSplit) -> tuple[list[str], list[str]]:
    return texts(parted.taken.document.facts), texts(parted.left.document.facts)


def test_each_account_gets_back_what_it_brought():
    memory = linked(stored(TEA), stored(ROME))
    assert given(split_account(memory, BOB, at(2), named=False)) == ([TEA.content], [ROME.content])
    assert given(split_account(memory, "chat:ann", at(2), named=True)) == ([ROME.content], [TEA.content])


def test_what_both_said_is_in_both():
    parted = split_account(linked(stored(TEA), stored(TEA, ROME)), BOB, at(2), named=False)
    assert given(parted) == ([TEA.content], [TEA.content, ROME.content])
    assert [each.accounts for each in parted.left.document.facts] == [(), ()]


def test_what_was_learned_since_goes_with_who_said_it():
    memory = linked(stored(), stored(ROME))
    said = replace(learned("turn7"), account=BOB)
    memory = apply_diff(memory, news("User plays chess"), replace(context(2), turns=(said,)))
    memory = add(memory, "Has a dog", at(3), MOST, account=BOB).stored
    memory = add(memory, "Has a cat", at(3), MOST).stored
    gone, left = given(split_account(memory, BOB, at(4), named=False))
    assert gone == ["User plays chess", "Has a dog"]
    assert left == [ROME.content, "Has a cat"]


def test_sentences_of_summaries_go_with_who_brought_them():
    memory = linked(summarised("Sings in a choir."), summarised("Writes Go."))
    parted = split_account(memory, BOB, at(2), named=False)
    assert parted.taken.document.summaries.work.text == "Sings in a choir."
    assert parted.left.document.summaries.work.text == "Writes Go."
    parted = split_account(memory, "chat:ann", at(2), named=True)
    assert parted.taken.document.summaries.work.text == "Writes Go."
    assert parted.left.document.summaries.work.text == "Sings in a choir."


def test_a_sentence_written_since_goes_with_the_fact_that_it_repeats():
    memory = linked(stored(TEA), stored(ROME))
    text = "Drinks jasmine tea all day. Moved to Rome for work."
    memory = replace(
        memory, document=replace(memory.document, summaries=Summaries(work=Summary(text, at(2))))
    )
    parted = split_account(memory, BOB, at(3), named=False)
    assert parted.left.document.summaries.work.text == "Moved to Rome for work."
    assert parted.taken.document.summaries.work.text == "Drinks jasmine tea all day."


def test_no_version_for_undo_tells_what_went():
    memory = add(linked(stored(TEA), stored(ROME)), "Has a cat", at(2), MOST).stored
    assert undo(split_account(memory, BOB, at(3), named=False).left, at(4)) is None


def test_what_was_forgotten_stays_forgotten_on_both_sides():
    memory = forget(linked(stored(TEA), stored(ROME)), TEA.content, at(2)).stored
    parted = split_account(memory, BOB, at(3), named=False)
    assert given(parted) == ([], [ROME.content])
    assert apply_diff(parted.taken, news(TEA.content), context(1)).document.facts == ()


def test_a_link_that_brought_nothing_takes_nothing():
    memory = stored(ROME)
    assert split_account(memory, BOB, at(2), named=False).left is memory


def test_whose_things_are_outlives_the_disk():
    memory = linked(stored(TEA), summarised("Writes Go.", TEA, ROME))
    assert read_document(document_json(memory.document)).document == memory.document
    saved: SavedNotes = saved_notes(memory.notes, memory.document)
    assert restored_notes(saved, memory.document).came == memory.notes.came


@pytest.mark.parametrize("of", ["bob", "ann"])
async def test_facts_and_waiting_turns_are_given_back(tmp_path, of):
    bob, ann = User("chat", "bob", "Bob"), User("chat", "ann", "Ann")
    async with service_on(tmp_path) as service:
        await service.add("chat:bob", "Likes jasmine tea")
        await service.add("chat:ann", "Lives in Rome")
        await service.merge("chat:bob", "chat:ann", BOB)
        for number, speaker in enumerate((bob, ann)):
            await service.record(replace(turn(number, "I sing", person="chat:ann"), speaker=speaker))
        into = "chat:bob" if of == "bob" else "chat:ann~1"
        parting = AccountUnlink(f"chat:{of}", named=of == "ann")
        assert await service.part("chat:ann", into, parting) == 1
        assert await service.part("chat:ann", into, parting) == 0
        shown = [await service.overview(person) for person in ("chat:ann", into)]
    kept = [[fact.content for fact in each.facts] for each in shown]
    assert sorted(kept) == [["Likes jasmine tea"], ["Lives in Rome"]]
    assert kept[1] == ["Likes jasmine tea" if of == "bob" else "Lives in Rome"]
    assert [each.waiting for each in shown] == [1, 1]
